import { useCopy } from '../data/use-copy.ts'
import { Button } from './Button.tsx'

type Props = { readonly text: () => Promise<string>; readonly look?: 'plain' | 'primary' | 'quiet' }

/** Copies everything that support asks for first. */
export function CopyForSupport({ text, look = 'quiet' }: Props) {
  const [isCopied, copy] = useCopy(text)
  return (
    <Button
      look={look}
      size={look === 'plain' ? 'normal' : 'small'}
      icon={isCopied ? 'check' : 'copy'}
      onPress={copy}
    >
      {isCopied ? 'Copied' : 'Copy for support'}
    </Button>
  )
}

import { useCopy } from '../data/use-copy.ts'
import { Button } from './Button.tsx'

type Props = { readonly text: () => Promise<string>; readonly look?: 'plain' | 'primary' | 'quiet' }

/** Copies everything that support asks for first. */
export function CopyForSupport({ text, look = 'quiet' }: Props) {
  const [copied, copy] = useCopy(text)
  return (
    <Button
      look={look}
      size={look === 'plain' ? 'normal' : 'small'}
      icon={copied ? 'check' : 'copy'}
      onPress={copy}
    >
      {copied ? 'Copied' : 'Copy for support'}
    </Button>
  )
}

import { useCopy } from '../data/use-copy.ts'
import { Button } from './Button.tsx'

type Props = { readonly name: string; readonly value: string }

/** An ID or a hash: shown in full, selectable, with a copy button. */
export function CopyValue({ name, value }: Props) {
  const [isCopied, copy] = useCopy(value)
  return (
    <span className="copy-value">
      <code className="selectable">{value}</code>
      <Button
        look="quiet"
        size="small"
        icon={isCopied ? 'check' : 'copy'}
        label={isCopied ? `${name} copied` : `Copy ${name}`}
        onPress={copy}
      />
    </span>
  )
}

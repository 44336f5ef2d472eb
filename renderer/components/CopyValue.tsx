import { useEffect, useState } from 'react'
import { useNotices } from '../data/Notices.tsx'
import { Button } from './Button.tsx'

type Props = { readonly name: string; readonly value: string }

/** An id or a hash to quote elsewhere: shown whole, selectable, one press to copy. */
export function CopyValue({ name, value }: Props) {
  const [copied, setCopied] = useState(false)
  const { failed } = useNotices()

  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), 2_000)
    return () => clearTimeout(timer)
  }, [copied])

  const copy = async () => {
    try {
      await navigator.clipboard.writeText(value)
      setCopied(true)
    } catch (error) {
      failed(error)
    }
  }

  return (
    <span className="copy-value">
      <code className="selectable">{value}</code>
      <Button
        look="quiet"
        size="small"
        icon={copied ? 'check' : 'copy'}
        label={copied ? `${name} copied` : `Copy ${name}`}
        onPress={() => void copy()}
      />
    </span>
  )
}

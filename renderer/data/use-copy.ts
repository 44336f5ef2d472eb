import { useEffect, useState } from 'react'
import { useNotices } from './Notices.tsx'

const SHOWN_FOR_MS = 2_000

/** Copies a text, or the result of a promise. `copied` is true for a moment afterwards. */
export const useCopy = (text: string | (() => Promise<string>)): readonly [boolean, () => void] => {
  const [copied, setCopied] = useState(false)
  const { failed } = useNotices()

  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), SHOWN_FOR_MS)
    return () => clearTimeout(timer)
  }, [copied])

  const copy = async () => {
    try {
      await navigator.clipboard.writeText(typeof text === 'string' ? text : await text())
      setCopied(true)
    } catch (error) {
      failed(error)
    }
  }
  return [copied, () => void copy()]
}

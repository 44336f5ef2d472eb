import { useEffect, useState } from 'react'
import { useNotices } from './Notices.tsx'

const SHOWN_FOR_MS = 2_000

/** Returns a function that copies the text, and a flag that is true for a moment after copying. */
export const useCopy = (text: string | (() => Promise<string>)): readonly [boolean, () => void] => {
  const [isCopied, setIsCopied] = useState(false)
  const { failed } = useNotices()

  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setIsCopied(false), SHOWN_FOR_MS)
    return () => clearTimeout(timer)
  }, [isCopied])

  const copy = async () => {
    try {
      await navigator.clipboard.writeText(typeof text === 'string' ? text : await text())
      setIsCopied(true)
    } catch (error) {
      failed(error)
    }
  }
  return [isCopied, () => void copy()]
}

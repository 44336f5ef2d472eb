import { useEffect, useState } from 'react'

/** Returns the text after a pause in typing, because one request per letter would be too many. */
export const useDebounced = (text: string, pauseMs: number): string => {
  const [debouncedText, setDebouncedText] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setDebouncedText(text), pauseMs)
    return () => clearTimeout(timer)
  }, [text, pauseMs])
  return debouncedText
}

import { useEffect, useState } from 'react'

/** Returns the text after a pause in typing. One request per letter would exceed the service's rate limit. */
export const useDebounced = (text: string, pauseMs: number): string => {
  const [debouncedText, setDebouncedText] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setDebouncedText(text), pauseMs)
    return () => clearTimeout(timer)
  }, [text, pauseMs])
  return debouncedText
}

import { useEffect, useState } from 'react'

/** Returns the text after a pause in typing. One request per letter would exceed the service's rate limit. */
export const useDebounced = (text: string, pauseMs: number): string => {
  const [debounced, setDebounced] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(text), pauseMs)
    return () => clearTimeout(timer)
  }, [text, pauseMs])
  return debounced
}

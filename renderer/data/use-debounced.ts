import { useEffect, useState } from 'react'

/** The input after a pause in typing: one request per letter would exceed the service's rate limit. */
export const useDebounced = (typed: string, pauseMs: number): string => {
  const [settled, setSettled] = useState(typed)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(typed), pauseMs)
    return () => clearTimeout(timer)
  }, [typed, pauseMs])
  return settled
}

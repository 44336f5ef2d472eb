import { useEffect, useState } from 'react'

/** What was typed, once the typing pauses: a request for each letter is too much for a service with limits. */
export const usePaused = (typed: string, pauseMs: number): string => {
  const [settled, setSettled] = useState(typed)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(typed), pauseMs)
    return () => clearTimeout(timer)
  }, [typed, pauseMs])
  return settled
}

import { useEffect, useState } from 'react'

/** For "3 min ago": a clock that ticks seldom enough not to draw the eye. */
export const useNow = (everyMs = 15_000): number => {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return now
}

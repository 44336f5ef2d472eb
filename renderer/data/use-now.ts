import { useEffect, useState } from 'react'

/** The current time for texts such as "3 min ago". Changes rarely, because texts that change often distract. */
export const useNow = (): number => {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 15_000)
    return () => clearInterval(timer)
  }, [])
  return now
}

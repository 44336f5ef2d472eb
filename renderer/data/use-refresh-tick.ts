import { useEffect, useRef, useState } from 'react'
import { useAgent } from './AgentView.tsx'

/** Counts up when the agent reported news, at most once per interval, so that lists refresh without a storm. */
export const useRefreshTick = (everyMs: number): number => {
  const { status } = useAgent()
  const [tick, setTick] = useState(0)
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null)

  // biome-ignore lint/correctness/useExhaustiveDependencies: each new status is the news.
  useEffect(() => {
    if (timer.current !== null) return
    timer.current = setTimeout(() => {
      timer.current = null
      setTick((value) => value + 1)
    }, everyMs)
  }, [status, everyMs])

  useEffect(
    () => () => {
      if (timer.current !== null) clearTimeout(timer.current)
      timer.current = null
    },
    [],
  )
  return tick
}

import { useEffect, useRef, useState } from 'react'
import { useAgent } from './AgentView.tsx'

/** Counts up when the agent reported news, at most once per interval, so that lists refresh without a storm. */
export const useRefreshTick = (everyMs: number): number => {
  const { status, health } = useAgent()
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

  // What was asked while the agent was away has failed; once it is back, nothing waits for the interval.
  const running = health.state === 'running'
  const wasRunning = useRef(running)
  useEffect(() => {
    if (running && !wasRunning.current) setTick((value) => value + 1)
    wasRunning.current = running
  }, [running])

  useEffect(
    () => () => {
      if (timer.current !== null) clearTimeout(timer.current)
      timer.current = null
    },
    [],
  )
  return tick
}

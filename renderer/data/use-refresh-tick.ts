import { useEffect, useRef, useState } from 'react'
import { useAgent } from './AgentView.tsx'

/** Counts up after a new status, at most once per interval, so that lists do not reload too often. */
export const useRefreshTick = (everyMs: number): number => {
  const { status, health } = useAgent()
  const [tick, setTick] = useState(0)
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null)

  // biome-ignore lint/correctness/useExhaustiveDependencies: each new status is a trigger.
  useEffect(() => {
    if (timer.current !== null) return
    timer.current = setTimeout(() => {
      timer.current = null
      setTick((value) => value + 1)
    }, everyMs)
  }, [status, everyMs])

  // Calls failed while the agent was away, so reload at once when it is back.
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

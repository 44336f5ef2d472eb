import { useEffect, useRef, useState } from 'react'
import { useAgent } from './AgentView.tsx'

/** Lists reload after this time even without a new status: the last call may have failed, or rows may be outdated. */
const QUIET_REFRESH_MS = 30_000

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

  // biome-ignore lint/correctness/useExhaustiveDependencies: each tick restarts the wait.
  useEffect(() => {
    const quietTimer = setTimeout(() => setTick((value) => value + 1), QUIET_REFRESH_MS)
    return () => clearTimeout(quietTimer)
  }, [tick])

  // Calls fail while the agent restarts, so reload at once when it runs again.
  const isRunning = health.state === 'running'
  const wasRunning = useRef(isRunning)
  useEffect(() => {
    if (isRunning && !wasRunning.current) setTick((value) => value + 1)
    wasRunning.current = isRunning
  }, [isRunning])

  useEffect(
    () => () => {
      if (timer.current !== null) clearTimeout(timer.current)
      timer.current = null
    },
    [],
  )
  return tick
}

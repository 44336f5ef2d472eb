import type { Clock } from '../../shared/clock/clock.ts'
import { sleepDetector } from '../../shared/clock/sleep-detector.ts'

/**
 * Hard case: The agent stops answering.
 * After two minutes without an answer, not counting sleep, the main process restarts the agent. The window shows the
 * reason until the new agent runs.
 */

/** If a timer is late by more than this, the PC slept, or this process was stopped or too busy. */
const LATE_MS = 5_000

/**
 * Measures how long a process has not answered. Call `measureSilentMs` every `intervalMs`. After sleep, or while this
 * process was too busy to receive an answer, the measurement starts again.
 */
export const watchResponses = (clock: Clock, intervalMs: number) => {
  const measureLateMs = sleepDetector(clock, intervalMs)
  let silentMs = 0
  return {
    noteAnswer: (): void => {
      silentMs = 0
    },
    measureSilentMs: (): number => {
      silentMs = measureLateMs() > LATE_MS ? 0 : silentMs + intervalMs
      return silentMs
    },
  }
}

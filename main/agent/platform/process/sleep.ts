import { setTimeout as sleepFor } from 'node:timers/promises'

/** Waits, and returns early without an error when the signal aborts. */
export const sleepUnlessAborted = (ms: number, signal: AbortSignal): Promise<void> =>
  sleepFor(ms, undefined, { signal }).catch(() => {})

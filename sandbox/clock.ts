import type { ServiceClock } from '../server/clock.ts'

/**
 * A clock that tests can move, so that within seconds URLs expire, the idempotency window ends, or a day of webhook
 * retries passes.
 */
export type SandboxClock = ServiceClock & {
  offsetMs(): number
  setOffsetMs(offsetMs: number): void
  /** A frozen clock moves only with its offset, so timers wait for the next `setOffsetMs`. */
  setFrozen(isFrozen: boolean): void
}

export function createClock(wallClock: () => number): SandboxClock {
  let offset = 0
  let frozenAt: number | null = null
  const listeners: (() => void)[] = []
  return {
    now: () => Math.floor((frozenAt ?? wallClock()) + offset),
    offsetMs: () => offset,
    setOffsetMs(offsetMs) {
      offset = offsetMs
      for (const listener of listeners) listener()
    },
    setFrozen(isFrozen) {
      frozenAt = isFrozen ? (frozenAt ?? wallClock()) : null
      for (const listener of listeners) listener()
    },
    onJump: (listener) => void listeners.push(listener),
  }
}

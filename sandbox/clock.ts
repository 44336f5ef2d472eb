import type { ServiceClock } from '../server/clock.ts'

/**
 * Tests move its offset to see URLs expire, the idempotency window end, or a day of webhook retries pass within seconds.
 */
export type SandboxClock = ServiceClock & {
  offsetMs(): number
  setOffsetMs(offsetMs: number): void
  /** A frozen clock moves only with its offset, so timers wait for the next `setOffset`. */
  setFrozen(frozen: boolean): void
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
    setFrozen(frozen) {
      frozenAt = frozen ? (frozenAt ?? wallClock()) : null
      for (const listener of listeners) listener()
    },
    onJump: (listener) => void listeners.push(listener),
  }
}

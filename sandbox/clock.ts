import type { ServiceClock } from '../server/clock.ts'

/** A clock that tests can move, for example to make URLs expire at once. */
export type SandboxClock = ServiceClock & {
  offsetMs(): number
  setOffsetMs(offsetMs: number): void
  /** A frozen clock moves only when `setOffsetMs` is called. Until then, timers wait. */
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

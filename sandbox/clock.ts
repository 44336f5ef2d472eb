/**
 * The sandbox's only notion of time. Its offset can be moved while it runs, so that expiring URLs, the
 * idempotency window and a day of webhook retries can be seen in seconds.
 */
export type SandboxClock = {
  /** Whole milliseconds since 1970, offset included. */
  now(): number
  offsetMs(): number
  setOffsetMs(offsetMs: number): void
  /** A frozen clock moves only with its offset: what waits for a moment waits until it is told. */
  setFrozen(frozen: boolean): void
  /** Called after the offset moved: whoever waits for a moment must look again. */
  onJump(listener: () => void): void
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

export function isoTime(ms: number): string {
  return new Date(ms).toISOString()
}

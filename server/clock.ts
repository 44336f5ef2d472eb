/**
 * The clock of the service, which tests can move. Only log lines, the check of the certificate, and comparisons with
 * other clocks use the real time.
 */
export type ServiceClock = {
  /** Whole milliseconds since 1970. */
  now(): number
  /** Calls the listener when a test moves the clock, so that it can check its timers. */
  onJump(listener: () => void): void
}

export const systemClock: ServiceClock = { now: () => Date.now(), onJump: () => {} }

export function isoTime(ms: number): string {
  return new Date(ms).toISOString()
}

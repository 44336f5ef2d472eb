/**
 * The clock of the service, which tests can move. The real time is used only in log lines, for the certificate in the
 * command `check`, and for comparisons with the clock of the storage or the database.
 */
export type ServiceClock = {
  /** Whole milliseconds since 1970. */
  now(): number
  /** Calls the listener when a test moves the clock, so that timers are checked again. */
  onJump(listener: () => void): void
}

export const systemClock: ServiceClock = { now: () => Date.now(), onJump: () => {} }

export function isoTime(ms: number): string {
  return new Date(ms).toISOString()
}

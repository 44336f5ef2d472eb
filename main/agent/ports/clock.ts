export type { Clock } from '../../../shared/clock/clock.ts'

/** Returns a random number, uniform in [0, 1). */
export type Random = () => number

export type Log = {
  readonly info: (message: string, facts?: Readonly<Record<string, unknown>>) => void
  readonly warn: (message: string, facts?: Readonly<Record<string, unknown>>) => void
  readonly error: (message: string, facts?: Readonly<Record<string, unknown>>) => void
  /** Writes all lines that `work` logs at once, which is cheaper than one write per line. */
  readonly batchLogs?: (work: () => void) => void
}

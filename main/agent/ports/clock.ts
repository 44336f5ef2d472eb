export type { Clock } from '../../../shared/clock/clock.ts'

/** Returns a random number, uniform in [0, 1). */
export type Random = () => number

export type Log = {
  readonly info: (message: string, facts?: Readonly<Record<string, unknown>>) => void
  readonly warn: (message: string, facts?: Readonly<Record<string, unknown>>) => void
  readonly error: (message: string, facts?: Readonly<Record<string, unknown>>) => void
  /** Writes the lines that `work` logs as one batch, because one write is cheaper than one write per line. */
  readonly batchLogs?: (work: () => void) => void
}

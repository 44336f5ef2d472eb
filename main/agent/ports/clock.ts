export type { Clock } from '../../../shared/clock/clock.ts'

/** Uniform in [0, 1). */
export type Random = () => number

export type Log = {
  readonly info: (message: string, facts?: Readonly<Record<string, unknown>>) => void
  readonly warn: (message: string, facts?: Readonly<Record<string, unknown>>) => void
  readonly error: (message: string, facts?: Readonly<Record<string, unknown>>) => void
  /** Batches the lines that `work` logs: one write is cheaper than one per line. */
  readonly together?: (work: () => void) => void
}

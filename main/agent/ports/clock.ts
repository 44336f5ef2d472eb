export type { Clock } from '../../../shared/clock/clock.ts'

/** Uniform in [0, 1). */
export type Random = () => number

export type Log = {
  readonly info: (message: string, facts?: Readonly<Record<string, unknown>>) => void
  readonly warn: (message: string, facts?: Readonly<Record<string, unknown>>) => void
  readonly error: (message: string, facts?: Readonly<Record<string, unknown>>) => void
  /** Where many lines come at once, one write is cheaper than one for each. */
  readonly together?: (work: () => void) => void
}

import type { BenchSizes } from './sizes.ts'

/**
 * The limit of a goal is a multiple of the reference's figure (`times-the-reference`) or an absolute figure (`own`).
 */
export type Goal =
  | { readonly kind: 'times-the-reference'; readonly atLeast: number }
  | { readonly kind: 'times-the-reference'; readonly atMost: number }
  | { readonly kind: 'own'; readonly atLeast: number }
  | { readonly kind: 'own'; readonly atMost: number }
  | { readonly kind: 'none' }

/** Our values and those of a reference in the same run: their ratio depends less on the PC. */
export type Figure = {
  readonly what: string
  readonly unit: string
  /** One value per round. */
  readonly ours: readonly number[]
  /** The values of the reference in the same rounds. Null if the figure has no reference. */
  readonly reference: { readonly name: string; readonly values: readonly number[] } | null
  readonly goal: Goal
  readonly note?: string
}

/** Returns figures. A `Missing` names what this PC lacks for a figure, so that no figure is skipped silently. */
export type Bench = (sizes: BenchSizes) => Promise<readonly (Figure | Missing)[]>
export type Missing = { readonly what: string; readonly missing: string }

export type Spread = { readonly low: number; readonly middle: number; readonly high: number }

/** Median and quartiles: one disturbed round in five changes them little. */
export const spreadOf = (values: readonly number[]): Spread => {
  const sorted = values.toSorted((a, b) => a - b)
  const quantile = (fraction: number) => {
    const position = (sorted.length - 1) * fraction
    const below = sorted[Math.floor(position)] ?? Number.NaN
    const above = sorted[Math.ceil(position)] ?? below
    return below + (above - below) * (position - Math.floor(position))
  }
  return { low: quantile(0.25), middle: quantile(0.5), high: quantile(0.75) }
}

/** Compares round by round, because the other load on the PC changes all the time. */
export const ratioOf = ({ ours, reference }: Figure): Spread | null =>
  reference === null || reference.values.includes(0)
    ? null
    : spreadOf(ours.map((value, round) => value / (reference.values[round] ?? Number.NaN)))

export type Verdict = 'reached' | 'missed' | 'not clear' | ''

/** A figure whose spread crosses its goal proves nothing. */
export const verdictOf = (figure: Figure): Verdict => {
  const { goal } = figure
  if (goal.kind === 'none') return ''
  const spread = goal.kind === 'own' ? spreadOf(figure.ours) : ratioOf(figure)
  if (spread === null) return ''
  const isReached = (value: number) => ('atLeast' in goal ? value >= goal.atLeast : value <= goal.atMost)
  const quartiles = [spread.low, spread.high]
  if (quartiles.every(isReached)) return 'reached'
  return quartiles.some(isReached) ? 'not clear' : 'missed'
}

type Contestant = () => Promise<number>

/**
 * Runs the contestants in turn, so that all run under the same load. The first round warms up and does not count.
 */
export const runInterleaved = async (
  rounds: number,
  contestants: readonly Contestant[],
): Promise<number[][]> => {
  const values = contestants.map((): number[] => [])
  for (let round = 0; round <= rounds; round += 1)
    for (const [index, run] of contestants.entries()) {
      const value = await run()
      if (round > 0) values[index]?.push(value)
    }
  return values
}

export const measureMs = async (work: () => Promise<unknown>): Promise<number> => {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

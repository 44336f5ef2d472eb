/** Ours beside a reference, in the same run on the same bytes: a figure that means something on any PC. */
export type Comparison = {
  readonly name: string
  readonly ours: number
  readonly reference: number
  /** Ours over the reference's; more is better. */
  readonly ratio: number
  readonly unit: string
}

export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

export const timedMs = async (work: () => Promise<unknown>): Promise<number> => {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

/**
 * True in the Vitest projects `long` and `long-page` of `npm test -- long`. They also repeat some test files of the
 * other projects, with more runs.
 */
export const isLong = process.env.SLUICE_LONG === '1'

/** The number of runs of a random test: all of them in `npm test -- long`, otherwise a quarter. */
export const runs = (count: number): number => (isLong ? count : Math.ceil(count / 4))

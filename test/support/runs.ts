/** `npm test -- long` repeats some files of other projects with more runs. */
export const isLong = process.env.SLUICE_LONG === '1'

/** How often a random test runs: a quarter of the count in ordinary runs, all of it in the long one. */
export const runs = (count: number): number => (isLong ? count : Math.ceil(count / 4))

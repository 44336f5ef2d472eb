/** `npm test -- long` repeats some files of other projects with more runs. */
export const isLong = process.env.SLUICE_LONG === '1'

/** The number of runs of a random test: all in the long run, otherwise a quarter. */
export const runs = (count: number): number => (isLong ? count : Math.ceil(count / 4))

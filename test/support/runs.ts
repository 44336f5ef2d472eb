/** `npm test -- long` runs some files of other projects again, with all that they can do. */
export const isLong = process.env.SLUICE_LONG === '1'

/** How often a random test runs: a quarter of the count in each run of the tests, all of it in the long one. */
export const runs = (count: number): number => (isLong ? count : Math.ceil(count / 4))

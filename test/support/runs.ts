/**
 * How often a random test runs: a quarter of the count in each run of the tests, all of it in `npm test -- long`, which
 * runs these files again.
 */
export const runs = (count: number): number =>
  process.env.SLUICE_ALL_RUNS === '1' ? count : Math.ceil(count / 4)

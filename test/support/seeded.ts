/** A small random number generator (mulberry32), so that a run can be repeated from its printed seed. */
export const seeded = (seed: number): (() => number) => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Takes the seed from the environment to repeat a run, or chooses a new seed. Always prints the seed. */
export const chooseSeed = (name: string): number => {
  const seed = Number(process.env.SLUICE_SEED ?? Math.floor(Math.random() * 2 ** 31))
  console.log(`${name}: SLUICE_SEED=${seed}`)
  return seed
}

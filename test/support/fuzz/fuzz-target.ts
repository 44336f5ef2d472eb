import fc from 'fast-check'

/** An entry point that gets random inputs: the inputs, their number, and the check of each result. */
export type FuzzTarget<T> = {
  readonly name: string
  readonly inputs: fc.Arbitrary<T>
  readonly runs: number
  /** Throws if the entry point did something forbidden. */
  readonly check: (input: T) => unknown
}

export type FuzzResult = {
  readonly target: string
  readonly inputs: number
  readonly seconds: number
  readonly slowestMs: number
}

const MAX_INPUT_MS = 1_000

/** Processor time of this thread, not wall time, so that other load on this PC does not count. */
const threadMs = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/**
 * Checks every input once, each within a second of processor time. fast-check shrinks a failing input; the same seed
 * reproduces it.
 */
export const fuzz = async <T>(target: FuzzTarget<T>, seed: number): Promise<FuzzResult> => {
  const startMs = performance.now()
  let inputs = 0
  let slowestMs = 0
  await fc.assert(
    fc.asyncProperty(target.inputs, async (input) => {
      inputs += 1
      const beforeMs = threadMs()
      const answer = target.check(input)
      if (answer instanceof Promise) await answer
      const durationMs = threadMs() - beforeMs
      slowestMs = Math.max(slowestMs, durationMs)
      if (durationMs > MAX_INPUT_MS)
        throw new Error(`${target.name}: one input took ${Math.round(durationMs)} ms`)
    }),
    { seed, numRuns: target.runs },
  )
  const seconds = Math.round((performance.now() - startMs) / 1000)
  return { target: target.name, inputs, seconds, slowestMs: Math.round(slowestMs) }
}

import fc from 'fast-check'

/** One entry point: its inputs, their number, and what it must do with each. */
export type Door<T> = {
  readonly name: string
  readonly inputs: fc.Arbitrary<T>
  readonly runs: number
  /** Throws if the entry point did something forbidden. Any other answer or refusal is fine. */
  readonly knock: (input: T) => unknown
}

export type Knocked = {
  readonly door: string
  readonly inputs: number
  readonly seconds: number
  readonly slowestMs: number
}

const LONGEST_MS = 1_000

/** Time of this thread, not wall time, so that other load on this PC does not count. */
const threadMs = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** Tests every input once, each within a second. A failure is shrunk, and repeats with the same seed. */
export const knockAt = async <T>(door: Door<T>, seed: number): Promise<Knocked> => {
  const begunMs = performance.now()
  let inputs = 0
  let slowestMs = 0
  await fc.assert(
    fc.asyncProperty(door.inputs, async (input) => {
      inputs += 1
      const before = threadMs()
      const answer = door.knock(input)
      if (answer instanceof Promise) await answer
      const tookMs = threadMs() - before
      slowestMs = Math.max(slowestMs, tookMs)
      if (tookMs > LONGEST_MS) throw new Error(`${door.name}: one input took ${Math.round(tookMs)} ms`)
    }),
    { seed, numRuns: door.runs },
  )
  const seconds = Math.round((performance.now() - begunMs) / 1000)
  return { door: door.name, inputs, seconds, slowestMs: Math.round(slowestMs) }
}

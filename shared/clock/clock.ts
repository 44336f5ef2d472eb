export type Clock = {
  /** Milliseconds since 1970, which may jump. For times that people or the service see. */
  readonly wallMs: () => number
  /** Milliseconds that never go back. For durations. */
  readonly monotonicMs: () => number
}

/** The clock of this PC, for every process except server and sandbox. Tests use their own clocks. */
export const systemClock: Clock = { wallMs: () => Date.now(), monotonicMs: () => performance.now() }

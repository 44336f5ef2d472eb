export type Clock = {
  /** Milliseconds since 1970, which may jump. For times that people or the service see. */
  readonly wallMs: () => number
  /** Milliseconds that never go back. For durations. */
  readonly monotonicMs: () => number
}

/** The clock of this PC, for every process except the sandbox. Tests use their own. */
export const systemClock: Clock = { wallMs: () => Date.now(), monotonicMs: () => performance.now() }

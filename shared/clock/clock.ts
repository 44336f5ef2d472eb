export type Clock = {
  /** Milliseconds since 1970; may jump. For people and for the service. */
  readonly wallMs: () => number
  /** Milliseconds that never go back. For every "how long". */
  readonly monotonicMs: () => number
}

/** The clock of this PC, for every process except the sandbox. Tests use their own. */
export const systemClock: Clock = { wallMs: () => Date.now(), monotonicMs: () => performance.now() }

import { type Clocks, gapWatcher } from '../../shared/status/clock-gap.ts'

/** A look that comes later than this was late because this process, or the PC, was away. */
const LATE_MS = 5_000

/**
 * How long another process has not answered, asked once every `everyMs`. Only time in which this process was there to
 * hear an answer counts: after sleep, or on a PC that is too busy for either of them, the other one gets all of its
 * time again.
 */
export const silenceWatcher = (clocks: Clocks, everyMs: number) => {
  const missingMs = gapWatcher(clocks, everyMs)
  let silentMs = 0
  return {
    answered: (): void => {
      silentMs = 0
    },
    look: (): number => {
      silentMs = missingMs() > LATE_MS ? 0 : silentMs + everyMs
      return silentMs
    },
  }
}

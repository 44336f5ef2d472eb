import { collectGarbage } from './collect-garbage.ts'

/** Longer than the pauses between the parts of an upload, so that uploads rarely meet a collection. */
export const IDLE_MS = 30_000

/**
 * Frees the memory of the start and of each burst of work, once nothing has changed for a while. Measured on an agent
 * without work: 8 MB less.
 */
export const collectWhenIdle = (
  onChange: (listener: () => void) => void,
  collect: () => void = collectGarbage,
): void => {
  // The timer alone must not keep the process running.
  const timer = setTimeout(collect, IDLE_MS).unref()
  onChange(() => timer.refresh())
}

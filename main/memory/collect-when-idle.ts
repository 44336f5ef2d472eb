import { collectGarbage } from './collect-garbage.ts'
import { trimMalloc } from './trim-malloc.ts'

/** Longer than the pauses between the parts of an upload, so that uploads rarely meet a collection. */
export const IDLE_MS = 30_000

const freeMemory = (): void => {
  collectGarbage()
  trimMalloc()
}

/**
 * Frees the memory that the start and each burst of work leave behind, once nothing has changed for a while. Measured on
 * an agent without work: 8 MB less on Electron, and on Node 24 another 11 to 18 MB by `trimMalloc`.
 */
export const collectWhenIdle = (
  onChange: (listener: () => void) => void,
  collect: () => void = freeMemory,
): void => {
  // The timer alone must not keep the process running.
  const timer = setTimeout(collect, IDLE_MS).unref()
  onChange(() => timer.refresh())
}

import { collectGarbage } from './collect-garbage.ts'
import { trimMalloc } from './trim-malloc.ts'

/** Longer than the pauses between the parts of an upload, so that a collection rarely runs during an upload. */
export const IDLE_MS = 30_000

const freeMemory = (): void => {
  collectGarbage()
  trimMalloc()
}

/**
 * When nothing has changed for a while, frees the memory that the start or a burst of work has left behind. On an idle
 * agent (docs/performance.md), `collectGarbage` frees 6 MB on Electron, and `trimMalloc` another 11 to 18 MB on Node
 * 24.
 */
export const collectWhenIdle = (
  onChange: (listener: () => void) => void,
  collect: () => void = freeMemory,
): void => {
  // The timer alone must not keep the process running.
  const timer = setTimeout(collect, IDLE_MS).unref()
  onChange(() => timer.refresh())
}

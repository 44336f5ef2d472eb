import type { Clock } from '../../ports/clock.ts'
import { createDriveReads, type DriveReads } from '../hashing/drive-reads.ts'
import { restMs } from '../hashing/read-throttle.ts'

/** When the next read for sending may begin, and what the last one took. */
export type SendPace = {
  /** Ends early when it is no longer wanted. */
  readonly turn: (isWanted: () => boolean) => Promise<void>
  readonly took: (readMs: number) => void
}

/** No single wait is longer: the recorder may have ended meanwhile. */
const longestWaitMs = 1000

/**
 * What is read for sending yields to a recorder too, all parts together: the time that the line takes counts as rest,
 * so that only a line that is faster than a twentieth of the drive is held up. What comes from memory is free.
 */
export const createSendPace = (
  shouldYield: () => boolean,
  clock: Pick<Clock, 'monotonicMs'>,
  sleep: (ms: number) => Promise<void>,
  fetchedBytes: DriveReads = createDriveReads('/proc/self/io'),
): SendPace => {
  let freeAtMs = Number.NEGATIVE_INFINITY
  return {
    turn: async (isWanted) => {
      while (isWanted() && shouldYield() && clock.monotonicMs() < freeAtMs)
        await sleep(Math.min(longestWaitMs, freeAtMs - clock.monotonicMs()))
    },
    took: (readMs) => {
      if (!shouldYield() || fetchedBytes(readMs) === 0) return
      const rest = restMs({ readMs, hashMs: 0, fromDrive: true, leavesProcessor: true })
      freeAtMs = Math.max(freeAtMs, clock.monotonicMs()) + rest
    },
  }
}

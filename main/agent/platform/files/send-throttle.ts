import type { Clock } from '../../ports/clock.ts'
import { createDriveReads, type DriveReads } from '../hashing/drive-reads.ts'
import { restMs } from '../hashing/read-throttle.ts'

/** Throttles reads for uploads while a recorder writes. */
export type SendThrottle = {
  /** Waits until the next read may start; returns early once `isWanted` is false. */
  readonly waitForTurn: (isWanted: () => boolean) => Promise<void>
  readonly addRead: (readMs: number) => void
}

/** After at most this wait, Sluice checks again whether the recorder still writes. */
const MAX_WAIT_MS = 1000

/**
 * Reads for uploads yield to a recorder, like reads for hashing. All parts share one throttle. After a read of 1 ms
 * from the drive, Sluice does not read for 19 ms. Meanwhile it sends, so only uploads faster than 1/20 of the drive's
 * speed are slowed down.
 */
export const createSendThrottle = (
  shouldYield: () => boolean,
  clock: Pick<Clock, 'monotonicMs'>,
  sleep: (ms: number) => Promise<void>,
  fetchedBytes: DriveReads = createDriveReads('/proc/self/io'),
): SendThrottle => {
  let freeAtMs = Number.NEGATIVE_INFINITY
  return {
    waitForTurn: async (isWanted) => {
      while (isWanted() && shouldYield() && clock.monotonicMs() < freeAtMs)
        await sleep(Math.min(MAX_WAIT_MS, freeAtMs - clock.monotonicMs()))
    },
    addRead: (readMs) => {
      if (!shouldYield() || fetchedBytes(readMs) === 0) return
      const pauseMs = restMs({ readMs, hashMs: 0, fromDrive: true, hasLowPriority: true })
      freeAtMs = Math.max(freeAtMs, clock.monotonicMs()) + pauseMs
    },
  }
}

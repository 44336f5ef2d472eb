import { createDriveReads, type DriveReads } from '../hashing/drive-reads.ts'
import { createDriveWrites, type DriveWrites } from '../hashing/drive-writes.ts'
import { restMs } from '../hashing/read-throttle.ts'
import { createThreadPriority, type ThreadPriority } from '../hashing/thread-priority.ts'

type Parts = {
  readonly hasBulkWrites: DriveWrites
  readonly countDriveReads: DriveReads
  readonly priority: ThreadPriority
  readonly sleep: (ms: number) => void
}

/** Nothing wakes a wait on this memory, so each wait lasts until its timeout. */
const sleepMemory = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))

const thisThread = (): Parts => ({
  hasBulkWrites: createDriveWrites(),
  countDriveReads: createDriveReads(),
  priority: createThreadPriority(),
  sleep: (ms) => void Atomics.wait(sleepMemory, 0, 0, ms),
})

/**
 * Call the returned function after each read of an inspection. While a recorder writes to the drive, it rests as a hash
 * thread does.
 */
export const createRestForRecorder = (
  { hasBulkWrites, countDriveReads, priority, sleep }: Parts = thisThread(),
): ((device: string, readMs: number) => void) => {
  let isCounting = false
  return (device, readMs) => {
    const isYielding = hasBulkWrites(device)
    priority.setBackground(isYielding)
    if (!isYielding) {
      isCounting = false
      return
    }
    const fetchedBytes = countDriveReads(readMs)
    // Ignore the first count, which includes earlier reads.
    const fromDrive = isCounting && fetchedBytes > 0
    isCounting = true
    const ms = restMs({ readMs, hashMs: 0, fromDrive, hasLowPriority: priority.hasLowPriority() })
    if (ms > 0) sleep(ms)
  }
}

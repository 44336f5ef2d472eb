/**
 * For each millisecond of reading from the drive, Sluice reads nothing for 19 ms. Hashing counts as part of this rest.
 * So Sluice uses at most a twentieth of the drive's time while a recorder writes.
 */
const REST_PER_READ = 19

export type SlotTimes = {
  readonly readMs: number
  readonly hashMs: number
  /** Whether the bytes came from the drive. A read from the cache does not slow the recorder down. */
  readonly fromDrive: boolean
  /** Whether this thread has a low processor priority. Then it rests only to spare the drive, not the processor. */
  readonly hasLowPriority: boolean
}

/**
 * How long to rest after reading and hashing while a recorder writes to the drive. Bytes that were just recorded are
 * still in the cache. Hashing them costs no drive time, so hashing can keep up with the recorder.
 */
export const restMs = ({ readMs, hashMs, fromDrive, hasLowPriority }: SlotTimes): number => {
  const forDrive = fromDrive ? readMs * REST_PER_READ - hashMs : 0
  const forProcessor = hasLowPriority ? 0 : readMs + hashMs
  return Math.max(0, forDrive, forProcessor)
}

/**
 * For each millisecond of reading from the drive, Sluice reads nothing for 19 ms. So it uses at most a twentieth of the
 * drive's time. The time for hashing counts as rest.
 */
const REST_PER_READ = 19

export type SlotTimes = {
  readonly readMs: number
  readonly hashMs: number
  /** Whether the bytes came from the drive. A read from the cache does not slow the recorder down. */
  readonly fromDrive: boolean
  /** A thread with a low processor priority rests only to spare the drive, not the processor. */
  readonly hasLowPriority: boolean
}

/**
 * How long to rest after reading and hashing while a recorder writes to the drive. Bytes that were just recorded come
 * from the cache, so hashing can keep up with the recorder.
 */
export const restMs = ({ readMs, hashMs, fromDrive, hasLowPriority }: SlotTimes): number => {
  const forDrive = fromDrive ? readMs * REST_PER_READ - hashMs : 0
  const forProcessor = hasLowPriority ? 0 : readMs + hashMs
  return Math.max(0, forDrive, forProcessor)
}

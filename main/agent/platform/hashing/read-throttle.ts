/** While a recorder writes, Sluice uses at most a twentieth of the drive's time. */
const REST_PER_READ = 19

export type SlotTimes = {
  readonly readMs: number
  readonly hashMs: number
  /** Whether the bytes came from the drive. A read from the cache does not slow the recorder down. */
  readonly fromDrive: boolean
  /** Whether the system already gives the processor to other programs first. */
  readonly leavesProcessor: boolean
}

/**
 * How long to rest after reading and hashing while a recorder writes to the drive. Just-recorded bytes are still in the
 * cache: hashing them costs no drive time and may keep up with the recorder.
 */
export const restMs = ({ readMs, hashMs, fromDrive, leavesProcessor }: SlotTimes): number => {
  const forDrive = fromDrive ? readMs * REST_PER_READ - hashMs : 0
  const forProcessor = leavesProcessor ? 0 : readMs + hashMs
  return Math.max(0, forDrive, forProcessor)
}

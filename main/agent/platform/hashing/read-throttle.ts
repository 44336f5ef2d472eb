/** While a recorder writes, a twentieth of the drive's time is ours: that is the most it can lose. */
const restsPerRead = 19

export type Stint = {
  readonly readMs: number
  readonly hashMs: number
  /** Whether the bytes came from the drive and not from memory, where nobody else is kept waiting. */
  readonly fromDrive: boolean
  /** Whether the system itself gives the processor to others first. */
  readonly leavesProcessor: boolean
}

/**
 * How long to rest after a stint of reading and hashing while a recorder writes to the drive. What was just recorded
 * is still in memory: hashing it takes nothing from the drive, and may keep pace with the recorder.
 */
export const restMs = ({ readMs, hashMs, fromDrive, leavesProcessor }: Stint): number => {
  const forDrive = fromDrive ? readMs * restsPerRead - hashMs : 0
  const forProcessor = leavesProcessor ? 0 : readMs + hashMs
  return Math.max(0, forDrive, forProcessor)
}

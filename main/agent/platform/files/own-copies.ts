/**
 * Hard case: Sluice copies to an archive on the drive of a recording folder.
 * While a drive receives many writes, Sluice slows down hashing and sending, but not for its own copy. During a copy,
 * Sluice detects recorders by checking every two seconds which files are open.
 */

/** Counts the copies that Sluice itself writes, per drive. */
export type OwnCopies = {
  /** Call this before a copy to the drive. Call the returned function when all writes of the copy are on the drive. */
  readonly begin: (device: string) => () => void
  /** A number that is odd while a copy runs. It changes whenever a copy begins or ends. */
  readonly stateOf: (device: string) => number
}

/**
 * The write counter of a drive includes Sluice's own writes. Without `OwnCopies`, a copy to an archive would look like
 * a recorder.
 */
export const createOwnCopies = (): OwnCopies => {
  const drives = new Map<string, { running: number; changes: number }>()
  return {
    begin: (device) => {
      const drive = drives.get(device) ?? { running: 0, changes: 0 }
      drives.set(device, drive)
      drive.running += 1
      drive.changes += 1
      let isOver = false
      return () => {
        if (isOver) return
        isOver = true
        drive.running -= 1
        drive.changes += 1
      }
    },
    stateOf: (device) => {
      const { running, changes } = drives.get(device) ?? { running: 0, changes: 0 }
      return changes * 2 + (running > 0 ? 1 : 0)
    },
  }
}

/** Copies that Sluice itself writes, by the drive that they go to. */
export type OwnCopies = {
  /** A copy to this drive begins; call the answer when the drive has all of it. */
  readonly begin: (device: string) => () => void
  /** Odd while a copy is written there, and a different number after each begin and end. */
  readonly stateOf: (device: string) => number
}

/** A drive counts what reaches it, whoever wrote it: without this, a move to an archive would pass for a recorder. */
export const createOwnCopies = (): OwnCopies => {
  const drives = new Map<string, { underWay: number; turns: number }>()
  return {
    begin: (device) => {
      const drive = drives.get(device) ?? { underWay: 0, turns: 0 }
      drives.set(device, drive)
      drive.underWay += 1
      drive.turns += 1
      let isOver = false
      return () => {
        if (isOver) return
        isOver = true
        drive.underWay -= 1
        drive.turns += 1
      }
    },
    stateOf: (device) => {
      const { underWay, turns } = drives.get(device) ?? { underWay: 0, turns: 0 }
      return turns * 2 + (underWay > 0 ? 1 : 0)
    },
  }
}

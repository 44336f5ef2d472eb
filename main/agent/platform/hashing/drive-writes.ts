import { closeSync, openSync, readSync } from 'node:fs'
import { majorMinorOf } from '../files/device-number.ts'

/** A look takes a hundredth of a millisecond, and is only made by whoever reads. */
const lookEveryMs = 10
/** Logs, databases and the journal write less, or in bursts that fit into what is let through at once. */
const freeBytesPerMs = 20_000
const freeBytesAtOnce = 16_000_000
/** Recorders write in bursts. */
const writesForMs = 2000

/**
 * Whether the drive of this device number takes bulk writes now. False where its system does not count them. `ownCopies`
 * (own-copies.ts): while Sluice itself copies to the drive, its count says nothing of others.
 */
export type DriveWrites = (device: string, ownCopies?: number) => boolean

type Seen = {
  readonly atMs: number
  /** Null where nobody counts them: to find that out takes twenty times as long as to read a count. */
  readonly writtenBytes: number | null
  /** How much more than what is free was written of late, up to what is let through at once. */
  readonly aboveBytes: number
  readonly busyUntilMs: number
  readonly ownCopies: number
}

const sectorBytes = 512
const sectorsWritten = 6
const buffer = Buffer.alloc(512)

/** Linux counts for each drive what reached it, and answers from memory. Shares and volumes of several drives have none. */
const countedByLinux = (device: string): number | null => {
  const { major, minor } = majorMinorOf(device)
  let fd: number | null = null
  try {
    fd = openSync(`/sys/dev/block/${major}:${minor}/stat`, 'r')
    const text = buffer.toString('latin1', 0, readSync(fd, buffer, 0, buffer.length, 0))
    const sectors = Number(text.trim().split(/\s+/)[sectorsWritten])
    return Number.isNaN(sectors) ? null : sectors * sectorBytes
  } catch {
    return null
  } finally {
    if (fd !== null) closeSync(fd)
  }
}

/**
 * Notices a recorder within hundredths of a second, whoever it is and wherever on the drive it writes: by what arrives
 * there. What a recorder has left in the system's memory takes nothing from it yet.
 */
export const createDriveWrites = (
  countedBytes: (device: string) => number | null = process.platform === 'linux'
    ? countedByLinux
    : () => null,
  nowMs: () => number = () => performance.now(),
): DriveWrites => {
  const seen = new Map<string, Seen>()
  return (device, ownCopies = 0) => {
    const atMs = nowMs()
    const before = seen.get(device)
    if (before !== undefined && atMs - before.atMs < lookEveryMs) return atMs < before.busyUntilMs
    const writtenBytes = countedBytes(device)
    // Also what came between a copy's begin or end and the last look may be our own.
    if (ownCopies % 2 === 1 || (before !== undefined && before.ownCopies !== ownCopies)) {
      seen.set(device, {
        atMs,
        writtenBytes,
        aboveBytes: 0,
        busyUntilMs: Number.NEGATIVE_INFINITY,
        ownCopies,
      })
      return false
    }
    const above =
      writtenBytes === null || before === undefined || before.writtenBytes === null
        ? 0
        : before.aboveBytes + writtenBytes - before.writtenBytes - (atMs - before.atMs) * freeBytesPerMs
    const aboveBytes = Math.min(Math.max(0, above), freeBytesAtOnce)
    const busyUntilMs =
      aboveBytes === freeBytesAtOnce ? atMs + writesForMs : (before?.busyUntilMs ?? Number.NEGATIVE_INFINITY)
    seen.set(device, { atMs, writtenBytes, aboveBytes, busyUntilMs, ownCopies })
    return atMs < busyUntilMs
  }
}

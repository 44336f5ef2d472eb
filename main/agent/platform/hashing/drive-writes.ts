import { closeSync, openSync, readSync } from 'node:fs'
import { majorMinorOf } from '../files/device-number.ts'

/** Reading a counter takes 0.01 ms, so frequent checks cost little. */
const CHECK_INTERVAL_MS = 10
/** Logs, databases and the journal write less than this, or in short bursts. */
const ALLOWED_BYTES_PER_MS = 20_000
const BURST_BYTES = 16_000_000
/** Recorders pause between bursts, so the drive counts as busy for this long after a burst. */
const BUSY_FOR_MS = 2000

/**
 * Whether the drive receives bulk writes now. False if the system does not count writes, and while Sluice itself copies
 * to the drive. `ownCopies` comes from `OwnCopies.stateOf` and is odd during a copy.
 */
export type DriveWrites = (device: string, ownCopies?: number) => boolean

type DriveState = {
  readonly atMs: number
  /**
   * Null if the system does not count writes. Sluice stores this, too, because a failed read takes twenty times as long
   * as a successful one.
   */
  readonly writtenBytes: number | null
  /** Recent bytes above the allowed rate, up to the burst limit. */
  readonly excessBytes: number
  readonly busyUntilMs: number
  readonly ownCopies: number
}

const sectorBytes = 512
const sectorsWrittenColumn = 6
const buffer = Buffer.alloc(512)

/** Linux counts the writes to each drive. Shares, Btrfs and ZFS have no such counter. */
const readLinuxCounter = (device: string): number | null => {
  const { major, minor } = majorMinorOf(device)
  let fd: number | null = null
  try {
    fd = openSync(`/sys/dev/block/${major}:${minor}/stat`, 'r')
    const text = buffer.toString('latin1', 0, readSync(fd, buffer, 0, buffer.length, 0))
    const sectors = Number(text.trim().split(/\s+/)[sectorsWrittenColumn])
    return Number.isNaN(sectors) ? null : sectors * sectorBytes
  } catch {
    return null
  } finally {
    if (fd !== null) closeSync(fd)
  }
}

/**
 * Detects a recorder that writes faster than the allowed rate, by the bytes that reach the drive. Bytes in the system's
 * write cache do not count yet.
 */
export const createDriveWrites = (
  readWrittenBytes: (device: string) => number | null = process.platform === 'linux'
    ? readLinuxCounter
    : () => null,
  nowMs: () => number = () => performance.now(),
): DriveWrites => {
  const states = new Map<string, DriveState>()
  return (device, ownCopies = 0) => {
    const atMs = nowMs()
    const previous = states.get(device)
    if (previous !== undefined && atMs - previous.atMs < CHECK_INTERVAL_MS) return atMs < previous.busyUntilMs
    const writtenBytes = readWrittenBytes(device)
    // If Sluice started or ended a copy since the last check, some of the writes may be its own.
    if (ownCopies % 2 === 1 || (previous !== undefined && previous.ownCopies !== ownCopies)) {
      states.set(device, {
        atMs,
        writtenBytes,
        excessBytes: 0,
        busyUntilMs: Number.NEGATIVE_INFINITY,
        ownCopies,
      })
      return false
    }
    const excess =
      writtenBytes === null || previous === undefined || previous.writtenBytes === null
        ? 0
        : previous.excessBytes +
          writtenBytes -
          previous.writtenBytes -
          (atMs - previous.atMs) * ALLOWED_BYTES_PER_MS
    const excessBytes = Math.min(Math.max(0, excess), BURST_BYTES)
    const busyUntilMs =
      excessBytes === BURST_BYTES ? atMs + BUSY_FOR_MS : (previous?.busyUntilMs ?? Number.NEGATIVE_INFINITY)
    states.set(device, { atMs, writtenBytes, excessBytes, busyUntilMs, ownCopies })
    return atMs < busyUntilMs
  }
}

import type { DriveSpace } from '../../../shared/status/free-space.ts'
import { fillingOf, isLow } from '../domain/low-space.ts'
import { nightEnd, usualBetween } from '../domain/usual-recording.ts'
import type { Journal } from '../journal/journal.ts'
import type { Drive } from '../ports/folders.ts'
import type { Outlook } from './outlook.ts'

const DAY_MS = 86_400_000

type WatchedDrive = {
  readonly folders: readonly string[]
  readonly drive: Drive | null
  readonly answering: boolean
}

type Sources = {
  readonly journal: Journal
  readonly outlook: Outlook
  /** How many bytes in the folder are safe at the currently configured service; null before the first scan. */
  readonly safeBytesIn: (folder: string) => number | null
  readonly nowMs: number
}

const safeBytesOn = (folders: readonly string[], { safeBytesIn }: Sources): number | null => {
  const safeBytes = folders.map(safeBytesIn)
  return safeBytes.some((bytes) => bytes === null)
    ? null
    : safeBytes.reduce<number>((sum, bytes) => sum + (bytes ?? 0), 0)
}

const spaceOn = ({ folders, drive, answering }: WatchedDrive, sources: Sources): DriveSpace => {
  const safeBytes = safeBytesOn(folders, sources)
  if (drive === null)
    return {
      name: folders[0] ?? '',
      folders,
      space: null,
      answering,
      safeBytes,
      fills: { kind: 'unknown' },
      low: false,
    }
  const { journal, outlook, nowMs } = sources
  const usual = outlook.usualRecordingIn(folders, nowMs)
  const sinceMs = nightEnd(nowMs) - DAY_MS
  const tonight = journal.rates.recordedHours(folders).filter(({ atMs }) => atMs >= sinceMs)
  const fills = fillingOf({
    nowMs,
    freeBytes: drive.freeBytes,
    usual,
    tonight: {
      bytes: tonight.reduce((sum, { bytes }) => sum + bytes, 0),
      usualBytes: usual === null ? 0 : usualBetween(usual, sinceMs, nowMs),
    },
  })
  const { name, totalBytes, freeBytes, removable = false } = drive
  const space = { totalBytes, freeBytes }
  return { name, folders, space, answering, removable, safeBytes, fills, low: isLow(space, fills) }
}

/** How long Sluice reuses the result, because it reads the status several times a second. */
const CACHE_MS = 10_000

/**
 * The free space of each drive with a watched folder, and when the drive will be full. Drives with low space come
 * first.
 */
export class DriveSpaces {
  #cached: { readonly atMs: number; readonly key: string; readonly spaces: readonly DriveSpace[] } | null =
    null

  of(drives: readonly WatchedDrive[], sources: Sources): readonly DriveSpace[] {
    const { nowMs } = sources
    const key = JSON.stringify(drives)
    if (this.#cached?.key === key && Math.abs(nowMs - this.#cached.atMs) < CACHE_MS)
      return this.#cached.spaces
    const spaces = drives
      .map((drive) => spaceOn(drive, sources))
      .sort((a, b) => Number(b.low) - Number(a.low))
    this.#cached = { atMs: nowMs, key, spaces }
    return spaces
  }
}

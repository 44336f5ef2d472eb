import type { Journal } from '../../../main/agent/journal/journal.ts'
import type { Drive } from '../../../main/agent/ports/folders.ts'
import type { FolderSettings } from '../../../shared/settings/settings.ts'
import { HALL, TRACK } from '../scripted/folders.ts'
import { SEND_BYTES_PER_S } from '../scripted/night.ts'
import type { Scene } from '../scripted/scene.ts'

/** The upload speeds and drives of a station that has run for one night or for some weeks. */

const HOUR_MS = 3_600_000
const WATCHED_FOR_WEEKS: readonly Scene[] = ['short-of-space', 'silent', 'refused']
const watchedHoursOf = (scene: Scene): number => (WATCHED_FOR_WEEKS.includes(scene) ? 21 * 24 : 15)
const TB = 1_000_000_000_000

const isNew = (scene: Scene): boolean => scene === 'empty' || scene === 'first-run'

/** Writes when Sluice began to watch each folder, and an upload rate for each night hour since then. */
export const writeUploadRates = (
  journal: Journal,
  clock: { nowMs: number },
  folders: readonly FolderSettings[],
  scene: Scene,
): void => {
  const nowMs = clock.nowMs
  folders.forEach((folder, index) => {
    const volume = { device: `${index + 1}`, inode: `${index + 1}` }
    journal.volumes.setVolume(folder.path, volume, nowMs - watchedHoursOf(scene) * HOUR_MS)
  })
  if (isNew(scene)) return
  for (let hoursAgo = watchedHoursOf(scene); hoursAgo > 1; hoursAgo -= 1) {
    clock.nowMs = nowMs - hoursAgo * HOUR_MS
    const hour = new Date(clock.nowMs).getHours()
    if (hour >= 8 && hour < 18) continue
    const bytesPerSecond = SEND_BYTES_PER_S * (1 + 0.15 * Math.sin(hoursAgo / 5))
    journal.rates.addSent({
      bytes: Math.round(bytesPerSecond * 3_000),
      seconds: 3_000,
      limitBytesPerSecond: null,
    })
  }
  clock.nowMs = nowMs
}

/** The bytes and seconds of the recent uploads. Zero if no uploads are running. */
export const recentRateIn = (scene: Scene) => ({
  bytes: scene === 'busy' || scene === 'many' || scene === 'short-of-space' ? 8 * 60 * SEND_BYTES_PER_S : 0,
  seconds: scene === 'busy' || scene === 'many' || scene === 'short-of-space' ? 8 * 60 : 0,
  limitBytesPerSecond: null,
})

type WatchedDrive = {
  readonly folders: readonly string[]
  readonly drive: Drive | null
  readonly answering: boolean
}

export const drivesIn = (scene: Scene, folders: readonly FolderSettings[]): readonly WatchedDrive[] => {
  const hall: Drive = {
    device: '1',
    name: '/data',
    totalBytes: 4 * TB,
    freeBytes: scene === 'short-of-space' ? 0.009 * TB : 1.1 * TB,
  }
  const track: Drive = { device: '2', name: '/mnt/nas-02', totalBytes: 12 * TB, freeBytes: 3.4 * TB }
  return folders.flatMap((folder): readonly WatchedDrive[] => {
    const answeringDrive = { folders: [folder.path], answering: true }
    if (folder.path === HALL.path) return [{ ...answeringDrive, drive: hall }]
    if (folder.path !== TRACK.path) return []
    // In the scene `offline`, the folder is missing, so it has no drive. In `conditions`, the drive does not respond.
    if (scene === 'offline') return []
    return [
      scene === 'conditions'
        ? { ...answeringDrive, drive: null, answering: false }
        : { ...answeringDrive, drive: track },
    ]
  })
}

/** Adds up the safe bytes of a folder, as the watcher does. Null if the scene has 1,000 recordings or more. */
export const safeBytesIn = (journal: Journal, folder: string, service: string | null): number | null => {
  const recordings = journal.views.recent(1_000)
  if (recordings.length === 1_000) return null
  return recordings
    .filter((recording) => recording.folder === folder && recording.state === 'processed')
    .filter((recording) => recording.service === service)
    .reduce((sum, { identity }) => sum + identity.sizeBytes, 0)
}

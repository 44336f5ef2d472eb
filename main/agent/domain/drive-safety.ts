import type { DriveSafety, UnplugReason } from '../../../shared/status/drive-safety.ts'
import { unplugReasons } from '../../../shared/status/drive-safety.ts'
import type { FolderStatus, Status } from '../../../shared/status/status.ts'

type Facts = {
  /** The mount point or drive letter. */
  readonly drive: string
  readonly removable?: boolean
  readonly folders: readonly Pick<FolderStatus, 'path' | 'state' | 'problems'>[]
  readonly standings: Status['standings']
  /** For each folder, the number of files at its last scan. Null before its first scan. */
  readonly files: readonly (number | null)[]
}

/** Where desktop systems mount cards and sticks. */
const CARD_MOUNTS = /^\/(?:media|run\/media|Volumes)\//

/** The name of a card, taken from its mount point. Undefined for any other drive. */
const cardName = (drive: string): string | undefined =>
  CARD_MOUNTS.test(drive) ? drive.slice(drive.lastIndexOf('/') + 1) : undefined

/** Whether the path is on a card or stick, which fails or is unplugged more often than other drives. */
export const isOnCard = (path: string): boolean => CARD_MOUNTS.test(path)

const countsOf = ({ folders, standings }: Facts): Readonly<Record<UnplugReason, number>> => ({
  missing: folders.filter(({ state }) => !['watching', 'scanning'].includes(state)).length,
  scanning: folders.filter(({ state }) => state === 'scanning').length,
  'left-out': folders
    .flatMap(({ problems }) => problems)
    .reduce((sum, { leftOutCount }) => sum + leftOutCount, 0),
  'needs-attention': standings['needs-attention'],
  recording: standings.recording,
  uploading: standings.uploading,
  waiting: standings.waiting,
  processing: standings['at-service'],
  elsewhere: standings.elsewhere,
})

/**
 * A drive is safe to unplug if Sluice has scanned all its folders completely, and every recording in them is safe or
 * dismissed.
 */
export const driveSafety = (facts: Facts): DriveSafety => {
  const counts = countsOf(facts)
  const card = cardName(facts.drive)
  const reasons = unplugReasons
    .filter((kind) => counts[kind] > 0)
    .map((kind) => ({ kind, count: counts[kind] }))
  return {
    name: card ?? facts.drive,
    folders: facts.folders.map(({ path }) => path),
    removable: facts.removable === true || card !== undefined,
    safeToUnplug: reasons.length === 0,
    files: facts.files.reduce<number | null>(
      (sum, files) => (sum === null || files === null ? null : sum + files),
      0,
    ),
    dismissed: facts.standings.dismissed,
    reasons,
  }
}

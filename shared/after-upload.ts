import { dayInSentence, formatBytes, plural } from './format.ts'
import type { Paths } from './paths/paths.ts'
import type { FolderSettings } from './settings.ts'

/** What becomes of a file here once the service has processed it. */
export type AfterUpload = FolderSettings['after_upload']

const afterDays = (days: number): string =>
  days === 0 ? 'as soon as it is processed' : `${plural(days, 'day')} after it was processed`

const unlessRoom = (floor: number | undefined): string =>
  floor === undefined ? '' : `, or sooner with less than ${formatBytes(floor)} free`

/** Without a full stop, to stand in a sentence or a cell. */
export const afterUploadWords = (policy: AfterUpload): string => {
  switch (policy.action) {
    case 'keep':
      return 'kept on this PC'
    case 'move':
      return `moved to ${policy.to} ${afterDays(policy.days)}${unlessRoom(policy.keep_free_bytes)}`
    case 'delete':
      return `deleted from this PC ${afterDays(policy.days)}${unlessRoom(policy.keep_free_bytes)}`
  }
}

/** Null while the file is where it was found. */
export const leftWords = (
  row: { readonly removedAt: string | null; readonly movedTo: string | null },
  now: number,
): string | null => {
  if (row.removedAt === null) return null
  return row.movedTo === null
    ? `Removed from this PC ${dayInSentence(row.removedAt, now)}`
    : `Moved to ${row.movedTo}`
}

/** What the sandbox has processed is on this PC only: while a station is tried out its files stay. */
export const keepingAll = <S extends { readonly folders: readonly FolderSettings[] }>(settings: S): S => ({
  ...settings,
  folders: settings.folders.map((folder) => ({ ...folder, after_upload: { action: 'keep' } })),
})

type PlacedFolder = Pick<FolderSettings, 'path' | 'after_upload'>

/** A recording that is moved into a watched folder would be found there and taken for a new one. */
export const moveTargetFaults = (
  folders: readonly PlacedFolder[],
  paths: Paths,
): readonly { readonly at: number; readonly message: string }[] =>
  folders.flatMap(({ after_upload: policy }, at) => {
    if (policy.action !== 'move') return []
    if (!paths.isAbsolute(policy.to))
      return [{ at, message: 'Give the full path, starting at the root of the drive.' }]
    const clash = folders.find(
      ({ path }) =>
        paths.same(path, policy.to) || paths.contains(path, policy.to) || paths.contains(policy.to, path),
    )
    if (clash === undefined) return []
    return [
      {
        at,
        message: paths.contains(policy.to, clash.path)
          ? `The watched folder ${paths.show(clash.path)} lies inside it. Choose a folder beside it.`
          : `It lies in the watched folder ${paths.show(clash.path)}. Choose a folder outside it.`,
      },
    ]
  })

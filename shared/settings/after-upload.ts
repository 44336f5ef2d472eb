import type { Paths } from '../paths/paths.ts'
import { dayInSentence, formatBytes, plural } from '../words/format.ts'
import type { FolderSettings } from './settings.ts'

/** What happens to a local file after the service has processed it. */
export type AfterUpload = FolderSettings['after_upload']

const afterDays = (days: number): string =>
  days === 0 ? 'as soon as it is processed' : `${plural(days, 'day')} after it was processed`

const earlierIfFull = (minFreeBytes: number | undefined): string =>
  minFreeBytes === undefined ? '' : `, or earlier if less than ${formatBytes(minFreeBytes)} is free`

/** Without a full stop, for a sentence or a table cell. */
export const afterUploadWords = (policy: AfterUpload): string => {
  switch (policy.action) {
    case 'keep':
      return 'kept on this PC'
    case 'move':
      return `moved to ${policy.to} ${afterDays(policy.days)}${earlierIfFull(policy.keep_free_bytes)}`
    case 'delete':
      return `deleted from this PC ${afterDays(policy.days)}${earlierIfFull(policy.keep_free_bytes)}`
  }
}

/** Where the file is now. Null while it is still in its folder. */
export const removedFileWords = (
  row: { readonly removedAt: string | null; readonly movedTo: string | null },
  nowMs: number,
): string | null => {
  if (row.removedAt === null) return null
  return row.movedTo === null
    ? `Removed from this PC ${dayInSentence(row.removedAt, nowMs)}`
    : `Moved to ${row.movedTo}`
}

/** The sandbox stores its copy on this PC only, so a try-out never removes files. */
export const keepAllFiles = <S extends { readonly folders: readonly FolderSettings[] }>(settings: S): S => ({
  ...settings,
  folders: settings.folders.map((folder) => ({ ...folder, after_upload: { action: 'keep' } })),
})

type PlacedFolder = Pick<FolderSettings, 'path' | 'after_upload'>

/**
 * Finds move targets that are relative paths, or that overlap a watched folder, where a moved file could be uploaded
 * again.
 */
export const moveTargetFaults = (
  folders: readonly PlacedFolder[],
  paths: Paths,
): readonly { readonly index: number; readonly message: string }[] =>
  folders.flatMap(({ after_upload: policy }, index) => {
    if (policy.action !== 'move') return []
    if (!paths.isAbsolute(policy.to))
      return [{ index, message: 'Give the full path, starting at the root of the drive.' }]
    const clash = folders.find(
      ({ path }) =>
        paths.same(path, policy.to) || paths.contains(path, policy.to) || paths.contains(policy.to, path),
    )
    if (clash === undefined) return []
    return [
      {
        index,
        message: paths.contains(policy.to, clash.path)
          ? `The watched folder ${paths.show(clash.path)} is inside this folder. Choose one beside the watched folder.`
          : `This folder is inside the watched folder ${paths.show(clash.path)}. Choose a folder outside it.`,
      },
    ]
  })

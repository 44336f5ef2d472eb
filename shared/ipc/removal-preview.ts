import type { AfterUpload } from '../settings/after-upload.ts'
import { formatBytes, formatDate, plural } from '../words/format.ts'

/** The files that a folder's after-upload rules would remove now. The preview removes nothing. */
export type RemovalPreview = {
  /** Why the rules remove nothing at all. Null if they apply. */
  readonly blockedBy: 'test-key' | null
  readonly count: number
  readonly bytes: number
  /** How many of these files would be removed early, because less than `keep_free_bytes` is free. */
  readonly early: number
  /** The number of files that were checked on the drive, if there are more. `count` also includes the other files. */
  readonly checkedFirst: number | null
  /** When the service processed the first of `files`. Null if none of the checked files would be removed. */
  readonly oldest: string | null
  /** The first few files. */
  readonly files: readonly RemovalPreviewFile[]
  /**
   * Recordings that are safe and due, but whose file is missing, changed, on hold or now in a different watched
   * folder.
   */
  readonly staying: number
  /** Recordings that are due, but were processed with a test key (§5.3). Sluice never removes their files. */
  readonly underTestKey: number
  /** When the next file is due. */
  readonly nextAt: string | null
}

export type RemovalPreviewFile = {
  readonly path: string
  readonly bytes: number
  readonly processedAt: string
}

const actionWords = { move: 'moved', delete: 'deleted' } as const

const blockedSentences = {
  'test-key': 'This rule does not apply, because the key is a test key. Nothing is moved or deleted.',
} as const satisfies Record<NonNullable<RemovalPreview['blockedBy']>, string>

/** What would be removed now, and how much of it early, then what comes next and what stays. */
export const previewSentences = (
  preview: RemovalPreview,
  action: Exclude<AfterUpload['action'], 'keep'>,
): readonly string[] => {
  const { blockedBy, count, bytes, early, checkedFirst, oldest, staying, underTestKey, nextAt } = preview
  if (blockedBy !== null) return [blockedSentences[blockedBy]]
  const nowSentence =
    count === 0
      ? `Nothing would be ${actionWords[action]} now.`
      : `${plural(count, 'recording')} (${formatBytes(bytes)}) would be ${actionWords[action]} now${oldest === null ? '' : `, the oldest processed on ${formatDate(oldest)}`}.`
  return [
    nowSentence,
    ...(checkedFirst === null
      ? []
      : [`Only the files of the first ${plural(checkedFirst, 'recording')} were checked.`]),
    ...(early === 0
      ? []
      : [`${plural(early, 'recording')} of these would be ${actionWords[action]} early to free up space.`]),
    ...(nextAt === null
      ? []
      : [`The next recording would be ${actionWords[action]} on ${formatDate(nextAt)}.`]),
    ...(staying === 0
      ? []
      : [`${plural(staying, 'recording')} would stay: the file is missing, changed or on hold.`]),
    ...(underTestKey === 0
      ? []
      : [`${plural(underTestKey, 'recording')} would stay: processed with a test key.`]),
  ]
}

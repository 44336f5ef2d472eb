import type { AfterUpload } from './after-upload.ts'
import { formatBytes, formatDate, plural } from './format.ts'

/** What the rules of a folder would take from it now, and nothing of it is done. */
export type RemovalPreview = {
  readonly count: number
  readonly bytes: number
  /** Of these, before their days have passed, because the drive is nearly full. */
  readonly early: number
  /** When the service had processed the one that would go first. */
  readonly oldest: string | null
  /** The first that would go. */
  readonly files: readonly RemovalPreviewFile[]
  /** Safe and due, but not there any more, changed, or kept back by something that passes. */
  readonly staying: number
  /** When the days of the next one will have passed. */
  readonly nextAt: string | null
}

export type RemovalPreviewFile = {
  readonly path: string
  readonly bytes: number
  readonly processedAt: string
}

const acts = { move: 'moved', delete: 'deleted' } as const

/** The first sentence says what goes now; the others what comes after, and what stays. */
export const previewSentences = (
  preview: RemovalPreview,
  action: Exclude<AfterUpload['action'], 'keep'>,
): readonly string[] => {
  const { count, bytes, early, oldest, staying, nextAt } = preview
  const now =
    count === 0 || oldest === null
      ? `Nothing would be ${acts[action]} now.`
      : `${plural(count, 'recording')} (${formatBytes(bytes)}) would be ${acts[action]} now, the oldest processed on ${formatDate(oldest)}.`
  return [
    now,
    ...(early === 0 ? [] : [`${plural(early, 'recording')} of these would go early, for room on the drive.`]),
    ...(nextAt === null ? [] : [`The next would go on ${formatDate(nextAt)}.`]),
    ...(staying === 0
      ? []
      : [
          `${plural(staying, 'recording')} would stay: the file is not there any more, has changed, or waits.`,
        ]),
  ]
}

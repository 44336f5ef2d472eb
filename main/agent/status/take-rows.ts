import { actionApplies, isRetriedWithTake } from '../../../shared/status/recording-actions.ts'
import type { RecordingAction, RecordingRow, TakeDetail } from '../../../shared/status/status.ts'
import { decidingFile } from '../domain/takes.ts'
import type { Journal, Recording } from '../journal/journal.ts'

/** The window shows at most this many files of a take. */
const MAX_FILES = 1_000

type RowOf = (recording: Recording) => RecordingRow

/**
 * One row for a take, with the state of its deciding file and the sum of the sizes. Null if the take has only one file.
 */
const takeRow = (take: string, rows: readonly RecordingRow[]): RecordingRow | null => {
  const [first, ...others] = rows
  if (first === undefined || others.length === 0) return null
  const decides = decidingFile([first, ...others])
  const sum = (of: (row: RecordingRow) => number) => rows.reduce((total, row) => total + of(row), 0)
  const isGrowing = ({ state }: RecordingRow) => state === 'growing'
  const areRemoved = rows.every(({ removedAt }) => removedAt !== null)
  const speeds = rows.flatMap(({ bytesPerSecond }) => bytesPerSecond ?? [])
  return {
    ...decides,
    id: rows.reduce((least, { id }) => Math.min(least, id), first.id),
    path: take,
    name: first.take ?? first.name,
    sessionId: null,
    wholeTake: {
      files: rows.length,
      safe: rows.filter(({ standing }) => standing === 'safe').length,
      isReopened: rows.some(isGrowing) && !rows.every(isGrowing),
    },
    bytes: sum(({ bytes }) => bytes),
    bytesHashed: sum(({ bytesHashed }) => bytesHashed),
    bytesSent: sum(({ bytesSent, bytes, state }) => (state === 'processed' ? bytes : bytesSent)),
    bytesPerSecond: speeds.length === 0 ? null : speeds.reduce((total, speed) => total + speed, 0),
    partsTotal: sum(({ partsTotal }) => partsTotal ?? 0),
    partsSent: sum(({ partsSent }) => partsSent),
    waitsFor: rows.find(({ waitsFor }) => waitsFor !== null)?.waitsFor ?? null,
    prioritised: rows.some(({ prioritised }) => prioritised),
    foundAt: rows.map(({ foundAt }) => foundAt).sort()[0] ?? first.foundAt,
    changedAt:
      rows
        .map(({ changedAt }) => changedAt)
        .sort()
        .at(-1) ?? first.changedAt,
    removedAt: areRemoved ? decides.removedAt : null,
  }
}

/** The row of the recording, or of its whole take. */
export const rowOfTakeOrFile = (recording: Recording, journal: Journal, rowOf: RowOf): RecordingRow => {
  const { take } = recording
  const row = take === null ? null : takeRow(take, journal.takes.members(take).map(rowOf))
  return row ?? rowOf(recording)
}

/**
 * The files to which an action on the take applies. A retry leaves out held and dismissed files, unless the take itself
 * is held or dismissed.
 */
const targetsOf = (take: RecordingRow, files: readonly RecordingRow[]): TakeDetail['targets'] => {
  const idsFor = (action: RecordingAction) =>
    files
      .filter((file) => actionApplies(action, file) && (action !== 'retry' || isRetriedWithTake(take, file)))
      .map(({ id }) => id)
  return {
    retry: idsFor('retry'),
    prioritise: idsFor('prioritise'),
    pause: idsFor('pause'),
    resume: idsFor('resume'),
    dismiss: idsFor('dismiss'),
  }
}

/** Moves files that need attention to the front if the window cannot show all files. */
const shownFiles = (files: readonly RecordingRow[]): readonly RecordingRow[] => {
  if (files.length <= MAX_FILES) return files
  const needsAttention = ({ standing }: RecordingRow) => standing === 'needs-attention'
  return [...files.filter(needsAttention), ...files.filter((file) => !needsAttention(file))].slice(
    0,
    MAX_FILES,
  )
}

/** The take of a recording. Null if the file is a take by itself, or the only file of its take so far. */
export const takeDetailOf = (recording: Recording, journal: Journal, rowOf: RowOf): TakeDetail | null => {
  if (recording.take === null) return null
  const files = journal.takes.members(recording.take).map(rowOf)
  const row = takeRow(recording.take, files)
  if (row === null) return null
  return { row, files: shownFiles(files), ids: files.map(({ id }) => id), targets: targetsOf(row, files) }
}

import type { RecordingRow, TakeDetail } from '../../../shared/status/status.ts'
import { decidingFile } from '../domain/takes.ts'
import type { Journal, Recording } from '../journal/journal.ts'

/** The window shows at most this many files of a take. */
const MAX_FILES = 1_000

type RowOf = (recording: Recording) => RecordingRow

/**
 * One row for a take: the state is that of its deciding file, and the sizes are sums. Null if the take has one file.
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

/** The take of a recording with its first `MAX_FILES` files. Null if the file is a take by itself. */
export const takeDetailOf = (recording: Recording, journal: Journal, rowOf: RowOf): TakeDetail | null => {
  if (recording.take === null) return null
  const files = journal.takes.members(recording.take).map(rowOf)
  const row = takeRow(recording.take, files)
  return row === null ? null : { row, files: files.slice(0, MAX_FILES) }
}

import { noUploadReasons } from '../../domain/activity.ts'
import { isDismissedTake, problemOf } from '../../domain/problems.ts'
import { isHashed } from '../../domain/states.ts'
import type { Journal, NeededFile, Recording } from '../../journal/journal.ts'
import type { Files } from '../../ports/files.ts'
import { processedTwin, shareWithVanished } from '../../sessions/same-content.ts'
import { findDatabase } from './database-journals.ts'
import { isThere } from './is-there.ts'

/** Marks recordings that the scan did not find. Checks first that each file is really missing. */
export const markVanished = async (
  rows: readonly NeededFile[],
  { journal, files }: { readonly journal: Journal; readonly files: Files },
): Promise<void> => {
  const areThere = await Promise.all(rows.map((row) => isThere(files, row.path)))
  const areDatabasesThere = await Promise.all(rows.map((row) => isDatabaseThere(row.path, files)))
  journal.transaction(() => {
    rows.forEach((row, index) => {
      if (areThere[index]) return
      // A user may have moved the file to a different folder, whose watcher has already stored the new path.
      if (journal.recordings.currentByPath(row.path)?.id !== row.id) return
      if (shareProcessedSession(row.id, journal)) return
      const vanished = journal.recordings.byId(row.id)
      const noUploadReason = noUploadReasonOf(vanished, areDatabasesThere[index] === true)
      journal.recordings.transition(
        row.id,
        row.state,
        { kind: 'vanished' },
        {
          reason: noUploadReason ?? 'the file is no longer in the folder',
          patch: { problem: noUploadReason === null ? problemOf('file-vanished') : null },
        },
      )
      // Keep the dismissal, in case the same file returns. Write it after the transition, because the metrics count a
      // transition with a problem as a failure.
      if (vanished !== null && isDismissedTake(vanished))
        journal.recordings.patch(row.id, {
          problem: vanished.problem,
          nextAttemptAtMs: vanished.nextAttemptAtMs,
        })
    })
  })
}

const isDatabaseThere = async (path: string, files: Files): Promise<boolean> => {
  const database = await findDatabase(path, files)
  return database !== null && (await isThere(files, database))
}

/**
 * Why nobody needs to upload the missing file; null if it needs attention. Either a user dismissed the recording, or
 * the file was the journal of a database, such as `run_0.db3-wal`, and SQLite has merged it into the database.
 */
const noUploadReasonOf = (vanished: Recording | null, isMerged: boolean): string | null => {
  if (isMerged) return noUploadReasons.merged
  return vanished?.problem?.endsBy === 'dismissed' ? noUploadReasons.dismissed : null
}

/** If the service has processed the same content for a different recording, shares that session and returns true. */
const shareProcessedSession = (id: number, journal: Journal): boolean => {
  const vanished = journal.recordings.byId(id)
  if (vanished === null || !isHashed(vanished.state)) return false
  const twin = processedTwin(journal, vanished)
  if (twin !== undefined) shareWithVanished(journal, vanished, twin)
  return twin !== undefined
}

/**
 * Ends the recordings of marker files. They exist if an older version of Sluice added them, or if the user set
 * `marker_suffix` only later. A marker has no marker of its own, so such a recording would never finish.
 */
export const endMarkerRecordings = (rows: readonly NeededFile[], journal: Journal): void => {
  if (rows.length === 0) return
  journal.transaction(() => {
    for (const { id, state } of rows)
      journal.recordings.transition(id, state, { kind: 'vanished' }, { reason: noUploadReasons.marker })
  })
}

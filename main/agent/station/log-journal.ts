import { groupOf } from '../domain/activity.ts'
import type { Journal } from '../journal/journal.ts'
import type { Log } from '../ports/clock.ts'

/** Logs every step and note of the journal, with the recording and the request ID. */
export const logJournal = (journal: Journal, log: Log): void => {
  journal.batchLogs = log.batchLogs ?? journal.batchLogs
  journal.onStep = (recordingId, { from, to }, reason, requestId) => {
    const write = to === 'failed' || to === 'gone' ? log.warn : log.info
    write(from === to ? `${to}: ${reason}` : `${from ?? 'new'} -> ${to}: ${reason}`, {
      recordingId,
      requestId,
    })
  }
  journal.onNote = (kind, { kind: _, ...facts }, { recordingId, sessionId, requestId }) => {
    const write = groupOf(kind) === 'trouble' ? log.warn : log.info
    write(kind, { recordingId, sessionId, requestId, ...facts })
  }
}

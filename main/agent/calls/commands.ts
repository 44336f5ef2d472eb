import type { TransferSettings } from '../../../shared/settings/settings.ts'
import { isUnsent } from '../../../shared/status/recording-actions.ts'
import type { StateBeforeDismissal } from '../domain/activity.ts'
import { isDismissedTake, isIgnored, NEVER_MS } from '../domain/problems.ts'
import { needsFile, nextState } from '../domain/states.ts'
import { allowanceAt } from '../domain/upload-windows.ts'
import type { Journal, Recording } from '../journal/journal.ts'
import { abandonSession, withoutSession } from '../stage/apply-decision.ts'
import { CallRefusedError } from './call-refused.ts'

/** User commands, applied as journal changes. The window and the terminal share them. */

/** The reason why a retry is not possible; null if a retry is possible. */
export const findRetryObstacle = ({ state, problem, current, removedAtMs }: Recording): string | null => {
  if (state === 'processed' && problem === null) return 'it is processed'
  // Sluice uploads nothing from a folder that is not in the settings, so the recording would only wait again.
  if (problem?.endsBy === 'folder')
    return 'its folder was removed from the settings. Add the folder again to upload it'
  if (state !== 'failed') return null
  if (!current) return 'a different file replaced it'
  return removedAtMs === null ? null : 'its file is no longer in this folder'
}

/**
 * The files that a user's decision applies to. For a held recording, these are all held files of its take. Otherwise,
 * it is only this recording. Ignored files stay ignored.
 */
const filesDecidedWith = (journal: Journal, recording: Recording): readonly Recording[] => {
  const { id, take, problem, current } = recording
  if (problem?.code !== 'take-held' || take === null || !current) return [recording]
  return journal.takes
    .members(take)
    .filter((file) => file.id === id || (file.problem?.code === 'take-held' && !isIgnored(file)))
}

/**
 * Creates a function that returns true for every held file of a take except the first. A decision about one file
 * applies to its whole take. A take may have thousands of files, so repeating the decision for each would take minutes.
 */
export const trackDecidedTakes = (): ((recording: Recording) => boolean) => {
  const takes = new Set<string>()
  return (recording) => {
    const { take, problem, current } = recording
    if (take === null || !current || problem?.code !== 'take-held' || isIgnored(recording)) return false
    if (takes.has(take)) return true
    takes.add(take)
    return false
  }
}

const retryNow = (journal: Journal, recording: Recording): void => {
  const { problem, state } = recording
  journal.recordings.patch(recording.id, {
    attempts: 0,
    nextAttemptAtMs: 0,
    paused: false,
    // If the hold stayed dismissed, the hasher would never read the file. A file that is gone needs no hold.
    ...(problem !== null && isDismissedTake(recording)
      ? { problem: state === 'gone' ? null : { ...problem, endsBy: 'person' } }
      : {}),
  })
  journal.recordings.remark(recording, 'retried by user')
  journal.activity.note({ kind: 'retried' }, { recordingId: recording.id })
}

/**
 * Lets a recording continue at once: ends its wait, its pause, and the hold of its take. If the recording failed, or
 * its session has different content, it starts again in a new session.
 */
export const retry = (journal: Journal, recording: Recording): void =>
  journal.transaction(() => {
    const { recordings, parts } = journal
    const hasSessionToAbandon =
      recording.sessionId !== null && nextState(recording.state, { kind: 'session-abandoned' }) !== null
    if (recording.problem?.code === 'session-mismatch' && hasSessionToAbandon) {
      // The session has different content, so it may belong to a different recording: do not delete it.
      abandonSession(journal, recording, 'retried by user: uploads as a new session', {
        deleteAtService: false,
        patch: { session: null, paused: false },
      })
      journal.activity.note({ kind: 'retried' }, { recordingId: recording.id })
      return
    }
    if (recording.state !== 'failed') {
      if (recording.problem?.code === 'take-held') journal.inspections.release(recording)
      for (const file of filesDecidedWith(journal, recording))
        if (file.problem?.code !== 'take-held' || file.nextAttemptAtMs > 0 || isDismissedTake(file))
          retryNow(journal, file)
      return
    }
    const obstacle = findRetryObstacle(recording)
    if (obstacle !== null) {
      recordings.remark(recording, `cannot be uploaded again: ${obstacle}`)
      return
    }
    parts.forgetSession(recording.id)
    recordings.transition(
      recording.id,
      'failed',
      { kind: 'retried' },
      {
        reason: 'retried by user in a new session',
        // Do not search for an existing session: Sluice could find the failed session and adopt it again.
        patch: { ...withoutSession, session: null, mismatches: 0, findSessionFirst: false },
      },
    )
  })

/**
 * Dismisses a problem. If Sluice still needs the file, a problem of the file stays in the journal, marked as dismissed.
 * Without the problem, an empty file would count as still being recorded, and a deleted file as lost.
 */
export const dismiss = (journal: Journal, recording: Recording): void =>
  journal.transaction(() => {
    for (const file of filesDecidedWith(journal, recording)) dismissFile(journal, file)
  })

const dismissFile = (journal: Journal, recording: Recording): void =>
  journal.transaction(() => {
    if (recording.problem === null) return
    const isHeldTake = recording.problem.code === 'take-held'
    if (isHeldTake) journal.inspections.dismissHeld(recording.id)
    if (recording.problem.endsBy === 'dismissed') return
    const isAboutFile = (recording.problem.endsBy === 'file' || isHeldTake) && needsFile(recording.state)
    journal.recordings.patch(recording.id, {
      problem: isAboutFile ? { ...recording.problem, endsBy: 'dismissed' } : null,
    })
    journal.recordings.remark(recording, 'dismissed by user')
    const { state, problem, heldSinceMs } = recording
    journal.activity.note(
      { kind: 'dismissed', dismissed: { state, problem, heldSinceMs } },
      { recordingId: recording.id },
    )
  })

/**
 * Dismisses a recording whose file is excluded from now on. Automatic retries and file changes do not bring it
 * back. Only the user brings it back, with a retry or an undo. Nothing is deleted on this PC or at the service.
 */
export const ignore = (journal: Journal, recording: Recording): void =>
  journal.transaction(() => {
    dismissFile(journal, recording)
    const { state, problem } = recording
    if (problem === null || !needsFile(state)) return
    journal.recordings.patch(recording.id, {
      problem: { ...problem, endsBy: 'dismissed' },
      nextAttemptAtMs: NEVER_MS,
    })
  })

/** Undoes `ignore`. The next attempt shows whether the problem still exists. */
export const stopIgnoring = (journal: Journal, current: Recording, ignored: Recording): boolean =>
  journal.transaction(() => {
    const { attempts, nextAttemptAtMs } = ignored
    if (!restoreFile(journal, current, ignored)) return false
    journal.recordings.patch(current.id, { attempts, nextAttemptAtMs })
    return true
  })

/**
 * Undoes the last dismissal of a recording, no matter whether the window or the terminal dismissed it. Returns false if
 * no dismissal is known, or if the dismissal no longer applies.
 */
export const undoDismissal = (journal: Journal, recording: Recording): boolean => {
  const dismissed = journal.activity.dismissalOf(recording.id)
  return dismissed !== null && restoreProblem(journal, recording, dismissed)
}

/**
 * Undoes a dismissal, unless the state of the recording has changed since. For a file of a held take, also undoes the
 * dismissal of the other held files.
 */
export const restoreProblem = (
  journal: Journal,
  current: Recording,
  dismissed: StateBeforeDismissal,
): boolean =>
  journal.transaction(() => {
    // Read the row again: an undo calls this for each file of a take, and the first call restores all held files.
    const file = journal.recordings.byId(current.id) ?? current
    if (!restoreFile(journal, file, dismissed)) return false
    for (const other of filesDecidedWith(journal, file)) {
      if (other.id === file.id) continue
      const dismissedOther = journal.activity.dismissalOf(other.id)
      if (dismissedOther !== null) restoreFile(journal, other, dismissedOther)
    }
    return true
  })

const restoreFile = (journal: Journal, current: Recording, dismissed: StateBeforeDismissal): boolean =>
  journal.transaction(() => {
    const isDismissed = current.problem === null || current.problem.endsBy === 'dismissed'
    if (current.state !== dismissed.state || !isDismissed) return false
    const { problem, heldSinceMs } = dismissed
    if (problem?.code === 'take-held') journal.inspections.undismiss(current.id)
    journal.recordings.patch(current.id, { problem, heldSinceMs })
    journal.recordings.remark(current, 'dismissal undone by user')
    return true
  })

export const setPrioritised = (journal: Journal, recording: Recording, prioritised: boolean): true =>
  journal.transaction(() => {
    journal.recordings.patch(recording.id, { prioritised })
    if (prioritised && !recording.prioritised)
      journal.activity.note({ kind: 'prioritised' }, { recordingId: recording.id })
    return true
  })

export const setPaused = (journal: Journal, recording: Recording, paused: boolean): true =>
  journal.transaction(() => {
    journal.recordings.patch(recording.id, { paused })
    if (recording.paused !== paused)
      journal.activity.note(
        { kind: paused ? 'recording-paused' : 'recording-resumed' },
        { recordingId: recording.id },
      )
    return true
  })

/** Outside the upload hours, Sluice reads this list before each part, so the list must stay short. */
const MAX_UPLOAD_NOW_IDS = 1_000

/**
 * Uploads one recording, or everything if `recording` is null, although the upload hours have not begun. A pause, a
 * condition or the key can still stop the upload. Returns when the upload hours begin, or null if they never begin.
 */
export const uploadNow = (
  journal: Journal,
  transfer: Pick<TransferSettings, 'windows' | 'limit_mbit_per_s'>,
  recording: Recording | null,
  nowMs: number,
): number | null => {
  const allowance = allowanceAt(transfer, nowMs)
  if (allowance.kind === 'open')
    throw new CallRefusedError('Uploads are not waiting for the upload hours: they may run now.')
  if (recording !== null && !isUnsent(recording.state))
    throw new CallRefusedError(`${recording.name} is not waiting to be uploaded.`)
  const untilMs = allowance.opensAtMs
  journal.transaction(() => {
    const previous = journal.station.uploadNow()
    // Drop recordings that have been uploaded in the meantime.
    const pendingIds = (previous?.recordingIds ?? []).filter((id) => {
      const listed = journal.recordings.byId(id)
      return listed !== null && isUnsent(listed.state)
    })
    const recordingIds = recording === null ? pendingIds : [...new Set([...pendingIds, recording.id])]
    if (recordingIds.length > MAX_UPLOAD_NOW_IDS)
      throw new CallRefusedError('Too many single recordings: upload everything now instead.')
    journal.station.setUploadNow({
      untilMs,
      station: recording === null || previous?.station === true,
      recordingIds,
    })
    const until = untilMs === null ? null : new Date(untilMs).toISOString()
    journal.activity.note(
      recording === null ? { kind: 'station-upload-now', until } : { kind: 'upload-now', until },
      recording === null ? {} : { recordingId: recording.id },
    )
  })
  return untilMs
}

const findSameContent = ({ recordings, station }: Journal, recording: Recording): readonly Recording[] =>
  recording.sha256 === null ? [] : recordings.sameContent(recording, station.service() ?? '')

/**
 * Undoes `uploadNow` for one recording, or for everything if `recording` is null. Returns false if there is nothing to
 * undo.
 */
export const cancelUploadNow = (journal: Journal, recording: Recording | null): boolean =>
  journal.transaction(() => {
    const previous = journal.station.uploadNow()
    const isOn = previous !== null && (recording === null || previous.recordingIds.includes(recording.id))
    if (!isOn) return false
    // Sluice may have added a recording with the same content to the list.
    const cancelled = recording === null ? [] : [recording, ...findSameContent(journal, recording)]
    const cancelledIds = cancelled.map(({ id }) => id)
    journal.station.setUploadNow(
      recording === null
        ? { ...previous, station: false, recordingIds: [] }
        : { ...previous, recordingIds: previous.recordingIds.filter((id) => !cancelledIds.includes(id)) },
    )
    journal.activity.note(
      { kind: recording === null ? 'station-upload-now-cancelled' : 'upload-now-cancelled' },
      recording === null ? {} : { recordingId: recording.id },
    )
    return true
  })

export const acceptOrganisation = (journal: Journal, nowMs: number): void => {
  const key = journal.station.refusedKey()
  // Accepting in advance would let a wrong key pass.
  if (key === null)
    throw new CallRefusedError(
      'There is nothing to accept: no key of a different organisation has stopped this station.',
    )
  journal.transaction(() => {
    journal.station.trustKey(key)
    // With a new service name, earlier recordings count as processed at a different service.
    journal.station.setService(`organisation accepted ${new Date(nowMs).toISOString()}`)
    journal.activity.note({ kind: 'organisation-accepted' })
  })
}

/** Returns whether uploads were paused. */
export const resume = (journal: Journal): boolean => {
  const wasPaused = journal.station.currentPause() !== null
  journal.station.resume()
  return wasPaused
}

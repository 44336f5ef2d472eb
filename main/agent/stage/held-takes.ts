import { type FileIdentity, sameOnAnyDevice } from '../domain/file-identity.ts'
import { isDismissedTake, isIgnored, NEVER_MS, noHold } from '../domain/problems.ts'
import { REFUSED_RETRY_DELAY_MS, UNINSPECTED_RETRY_DELAY_MS } from '../domain/retry-limits.ts'
import type { Journal, Recording } from '../journal/journal.ts'
import { applyDecision, type DecisionContext } from './apply-decision.ts'

/**
 * Hard case: One file of a take is not as expected, and its folder has `on_deviation: hold`.
 * All files of the take wait for one decision of a user, because an incomplete take is of no use at the service.
 */

const othersDetail = ({ journal }: DecisionContext, recording: Recording): string => {
  const bad = journal.inspections.deviatingWith(recording)
  return bad === null ? '' : `${bad.name} is not as expected: ${bad.deviations.join(' ')}`
}

/** A larger transaction would delay the agent. The hasher handles the remaining files later. */
const MAX_FILES_AT_ONCE = 1_000

type Which = Parameters<Journal['takes']['queued']>[1]

/**
 * The queued files of the recording's take, except files that a user ignores. If the recording has no take, or its path
 * has a newer recording, returns only the recording itself.
 */
const queuedWith = ({ takes }: Journal, recording: Recording, which: Which): readonly Recording[] =>
  recording.take === null || !recording.current
    ? [recording]
    : takes.queued(recording.take, which).filter((file) => !isIgnored(file))

/**
 * Lets the recording and the other files of its take wait until a user decides. Returns the ids of the files that now
 * wait. Skips other files that have a different problem or are already on hold. If a user has dismissed an earlier
 * report about the take, Sluice reports it again, so that the new waiting files are visible.
 */
export const holdDeviatingTake = (context: DecisionContext, recording: Recording): readonly number[] => {
  const { journal, clock } = context
  const which = { dueMs: clock.wallMs(), isWithWaiting: true, limit: MAX_FILES_AT_ONCE }
  const others = queuedWith(journal, recording, which).filter(
    ({ id, problem }) => id !== recording.id && (problem === null || problem.code === 'take-held'),
  )
  const files = isIgnored(recording) ? others : [recording, ...others]
  const detail = othersDetail(context, recording)
  for (const file of files) {
    const own = journal.inspections.deviationsOf(file.id)
    const failure = { kind: 'take-deviates', detail: own.length > 0 ? own.join(' ') : detail } as const
    applyDecision(context, { kind: 'recording', recording: file }, failure)
  }
  if (!files.every(isDismissedTake)) journal.inspections.reportAgain(recording)
  return files.map(({ id }) => id)
}

/**
 * Call when the inspection of the recording allows its upload. If all files of its take may be uploaded, ends their
 * wait, except for dismissed files.
 */
export const releaseInspectedTake = (journal: Journal, recording: Recording): void => {
  const { inspections } = journal
  // Most calls end here, because other files of the take are not inspected yet.
  if (inspections.isDueWith(recording) || inspections.clearanceOf(recording) !== 'clear') return
  const all = { dueMs: NEVER_MS, isWithWaiting: true, limit: Number.MAX_SAFE_INTEGER }
  for (const { id, problem } of queuedWith(journal, recording, all))
    if (problem === null || (problem.code === 'take-held' && problem.endsBy !== 'dismissed'))
      journal.recordings.patch(id, noHold)
}

/**
 * If a user dismissed the held recording, lets it wait again. Otherwise returns false. A dismissed recording waits even
 * if the deviating file is gone or `on_deviation` has changed.
 */
export const keepDismissed = ({ journal, clock }: DecisionContext, { id }: Recording): boolean => {
  // A user may have just decided to upload the recording.
  const recording = journal.recordings.byId(id)
  if (recording?.problem == null || !isDismissedTake(recording)) return false
  const untilMs = clock.wallMs() + REFUSED_RETRY_DELAY_MS
  const problem = { ...recording.problem, nextAt: new Date(untilMs).toISOString() }
  journal.recordings.hold(recording, { attempts: recording.attempts, untilMs, problem })
  return true
}

/** Whether a user dismissed the held recording, and the file still has the same content. */
export const isStillDismissed = (recording: Recording, found: FileIdentity): boolean =>
  isDismissedTake(recording) && sameOnAnyDevice(recording.identity, found)

/** Lets the recording and the other files of its take wait for the inspections of the take. */
const waitForInspections = ({ journal, clock }: DecisionContext, recording: Recording): void => {
  const nowMs = clock.wallMs()
  const due = { dueMs: nowMs, isWithWaiting: false, limit: MAX_FILES_AT_ONCE }
  const others = queuedWith(journal, recording, due).filter(
    ({ id, problem }) => id !== recording.id && problem === null,
  )
  for (const file of [recording, ...others])
    journal.recordings.hold(file, {
      attempts: file.attempts,
      untilMs: nowMs + UNINSPECTED_RETRY_DELAY_MS,
      problem: null,
    })
}

const isCleared = (context: DecisionContext, recording: Recording): boolean => {
  switch (context.journal.inspections.clearanceOf(recording)) {
    case 'clear':
      return true
    case 'inspection-due':
      waitForInspections(context, recording)
      return false
    case 'deviates':
      holdDeviatingTake(context, recording)
      return false
  }
}

/**
 * For folders with `on_deviation: hold`. The returned function tells whether a recording may be uploaded. If it may
 * not, the function lets the take wait for inspections or for a user. The function caches one result per take, so do
 * not use it in more than one transaction.
 */
export const createClearance = (context: DecisionContext): ((recording: Recording) => boolean) => {
  const clearedTakes = new Map<string, boolean>()
  return (recording) => {
    const { take, current } = recording
    if (take === null || !current) return isCleared(context, recording)
    const isTakeCleared = clearedTakes.get(take) ?? isCleared(context, recording)
    clearedTakes.set(take, isTakeCleared)
    return isTakeCleared
  }
}

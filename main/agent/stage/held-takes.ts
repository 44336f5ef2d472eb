import { isIgnored, noHold } from '../domain/problems.ts'
import { UNINSPECTED_RETRY_DELAY_MS } from '../domain/retry-limits.ts'
import type { Journal, Recording } from '../journal/journal.ts'
import { applyDecision, type DecisionContext } from './apply-decision.ts'

/**
 * Hard case: One file of a take is not as expected, and its folder has `on_deviation: hold`.
 * All files of the take wait for their inspections and for one decision, because a part of a take is of no use at the service.
 */

const detailFor = ({ journal }: DecisionContext, recording: Recording): string => {
  const own = journal.inspections.deviationsOf(recording.id)
  if (own.length > 0) return own.join(' ')
  const bad = journal.inspections.deviatingWith(recording)
  return bad === null ? '' : `${bad.name} is not as expected: ${bad.deviations.join(' ')}`
}

/** The recording waits until a user decides. A later recording without deviations does not release it. */
const hold = (context: DecisionContext, recording: Recording): void => {
  const detail = detailFor(context, recording)
  applyDecision(context, { kind: 'recording', recording }, { kind: 'take-deviates', detail })
}

/** The files of its take that are not hashed yet and that no user ignores. The recording alone if it belongs to no take. */
const unhashedWith = ({ takes }: Journal, recording: Recording): readonly Recording[] =>
  (recording.take === null || !recording.current ? [recording] : takes.members(recording.take)).filter(
    (file) => file.state === 'queued' && !isIgnored(file),
  )

/** Holds the recording and the other files of its take. Returns their ids. */
export const holdDeviatingTake = (context: DecisionContext, recording: Recording): readonly number[] => {
  const files = unhashedWith(context.journal, recording)
  for (const file of files)
    if (file.id === recording.id || file.problem === null || file.problem.code === 'take-held')
      hold(context, file)
  return files.map(({ id }) => id)
}

/**
 * Call when the recording was found to be as expected, or cannot be inspected. If that is true for all files of its take,
 * the hasher continues with them.
 */
export const releaseInspectedTake = (journal: Journal, recording: Recording): void => {
  if (journal.inspections.clearanceOf(recording) !== 'clear') return
  for (const { id, problem } of unhashedWith(journal, recording))
    if (problem === null || problem.code === 'take-held') journal.recordings.patch(id, noHold)
}

/**
 * For a folder with `on_deviation: hold`. Returns whether the recording may be uploaded. If not, the recording waits for
 * the inspections of its take or for a user.
 */
export const isClearedForUpload = (context: DecisionContext, recording: Recording): boolean => {
  const { journal, clock } = context
  switch (journal.inspections.clearanceOf(recording)) {
    case 'clear':
      return true
    case 'inspection-due':
      journal.recordings.hold(recording, {
        attempts: recording.attempts,
        untilMs: clock.wallMs() + UNINSPECTED_RETRY_DELAY_MS,
        problem: null,
      })
      return false
    case 'deviates':
      hold(context, recording)
      return false
  }
}

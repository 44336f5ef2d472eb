import { UNINSPECTED_RETRY_DELAY_MS } from '../domain/retry-limits.ts'
import type { Recording } from '../journal/journal.ts'
import { applyDecision, type DecisionContext } from './apply-decision.ts'

/** The recording waits until a user decides. A later recording without deviations does not release it. */
export const holdDeviatingTake = (context: DecisionContext, recording: Recording): void => {
  const detail = context.journal.inspections.deviationsOf(recording.id).join(' ')
  applyDecision(context, { kind: 'recording', recording }, { kind: 'take-deviates', detail })
}

/**
 * For a folder with `on_deviation: hold`. Returns whether the recording may be uploaded. If not, the recording waits for
 * its inspection or for a user.
 */
export const isClearedForUpload = (context: DecisionContext, recording: Recording): boolean => {
  const { journal, clock } = context
  switch (journal.inspections.clearanceOf(recording.id)) {
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
      holdDeviatingTake(context, recording)
      return false
  }
}

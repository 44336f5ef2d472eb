import type { EndsBy } from '../../../shared/status/problem-terms.ts'
import type { Standing } from '../../../shared/status/standing.ts'
import { type RecordingState, recordingStates } from '../../../shared/status/status.ts'

/** What decides the standing of a recording, apart from the recording itself. `uploadNowIds` is only shown. */
export type StandingContext = {
  /**
   * The station's identifier for its service. Null if it has none yet, or if its key belongs to a different
   * organisation. A recording that a different service processed is `elsewhere`, not `safe`.
   */
  readonly service: string | null
  /** Whether parts may be sent now. */
  readonly sending: boolean
  /** The recordings whose bytes are being sent; all others in the state `uploading` wait. Undefined if unknown. */
  readonly uploadingIds?: readonly number[]
  /** The recordings that a user chose to upload outside the upload hours. */
  readonly uploadNowIds?: readonly number[]
}

export type StandingFacts = {
  /** Undefined for a group of recordings that are counted together. */
  readonly id?: number
  readonly state: RecordingState
  readonly endsBy: EndsBy | null
  readonly service: string | null
  readonly paused: boolean
}

/** Whether the recording continues without a user: it is not paused, and its problem, if any, clears by itself. */
export const continuesByItself = ({ endsBy, paused }: Pick<StandingFacts, 'endsBy' | 'paused'>): boolean =>
  !paused && (endsBy === null || endsBy === 'time')

/**
 * `on-purpose`: an administrator removed the folder from the settings, or a user dismissed the recording. `attention`:
 * a problem does not clear by itself. `problem`: any problem. `current-service`: the session is at the station's
 * current service. `sending`: parts are being sent.
 */
export type StandingCondition =
  | 'on-purpose'
  | 'attention'
  | 'problem'
  | 'current-service'
  | 'sending'
  | 'always'

type Rule = {
  readonly standing: Standing
  readonly states: readonly RecordingState[]
  readonly when: StandingCondition
}

/** The first matching rule decides. The journal builds its SQL from these rules, so that lists and figures agree. */
export const standingRules: readonly Rule[] = [
  { standing: 'dismissed', states: recordingStates, when: 'on-purpose' },
  { standing: 'needs-attention', states: recordingStates, when: 'attention' },
  { standing: 'needs-attention', states: ['failed', 'gone'], when: 'problem' },
  { standing: 'safe', states: ['processed'], when: 'current-service' },
  { standing: 'elsewhere', states: ['processed'], when: 'always' },
  { standing: 'dismissed', states: ['failed', 'gone'], when: 'always' },
  { standing: 'at-service', states: ['completing', 'processing'], when: 'always' },
  { standing: 'recording', states: ['growing'], when: 'always' },
  { standing: 'uploading', states: ['uploading'], when: 'sending' },
  { standing: 'waiting', states: recordingStates, when: 'always' },
]

const isSending = ({ id }: StandingFacts, { uploadingIds }: StandingContext): boolean =>
  id === undefined || uploadingIds === undefined || uploadingIds.includes(id)

const isTrueFor = (when: StandingCondition, facts: StandingFacts, context: StandingContext): boolean => {
  switch (when) {
    case 'on-purpose':
      return facts.endsBy === 'folder' || facts.endsBy === 'dismissed'
    case 'attention':
      return facts.endsBy !== null && facts.endsBy !== 'time'
    case 'problem':
      return facts.endsBy !== null
    case 'current-service':
      return facts.service !== null && facts.service === context.service
    case 'sending':
      return facts.endsBy === null && !facts.paused && context.sending && isSending(facts, context)
    case 'always':
      return true
  }
}

export const standingOf = (facts: StandingFacts, context: StandingContext): Standing =>
  standingRules.find(({ states, when }) => states.includes(facts.state) && isTrueFor(when, facts, context))
    ?.standing ?? 'waiting'

type WithProblem = Omit<StandingFacts, 'endsBy'> & { readonly problem: { readonly endsBy: EndsBy } | null }

export const standingOfRecording = (recording: WithProblem, context: StandingContext): Standing =>
  standingOf({ ...recording, endsBy: recording.problem?.endsBy ?? null }, context)

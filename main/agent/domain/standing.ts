import type { EndsBy } from '../../../shared/status/problem-terms.ts'
import { type RecordingState, recordingStates, type Standing } from '../../../shared/status/status.ts'

/** Where the recordings are looked at from: what is safe elsewhere is not safe here. */
export type Viewpoint = {
  /** The service that the station works for, as it calls it; null where the key is known to open another one. */
  readonly service: string | null
  /** Parts may go out now. */
  readonly sending: boolean
  /** The recordings whose bytes are being sent. Others in the state `uploading` wait for a slot. Undefined: unknown. */
  readonly uploadingIds?: readonly number[]
}

export type Standpoint = {
  /** Undefined for a count of several recordings. */
  readonly id?: number
  readonly state: RecordingState
  readonly endsBy: EndsBy | null
  readonly service: string | null
  readonly paused: boolean
}

/** Nobody has to do anything for it: it is not paused, and whatever holds it passes. */
export const goesOnByItself = ({ endsBy, paused }: Pick<Standpoint, 'endsBy' | 'paused'>): boolean =>
  !paused && (endsBy === null || endsBy === 'time')

/**
 * `left`: a user removed its folder from the settings, or dismissed it. `somebody`: waiting alone does not fix it. `problem`: it has one.
 * `ours`: the session is at the service that the station works for. `moving`: nothing keeps its parts back.
 */
export type StandingCondition = 'left' | 'somebody' | 'problem' | 'ours' | 'moving' | 'always'

type Rule = {
  readonly standing: Standing
  readonly states: readonly RecordingState[]
  readonly when: StandingCondition
}

/** The first that fits decides. The journal makes its SQL of this table, so that a list and a figure never differ. */
export const standingRules: readonly Rule[] = [
  { standing: 'set-aside', states: recordingStates, when: 'left' },
  { standing: 'needs-someone', states: recordingStates, when: 'somebody' },
  { standing: 'needs-someone', states: ['failed', 'gone'], when: 'problem' },
  { standing: 'safe', states: ['processed'], when: 'ours' },
  { standing: 'elsewhere', states: ['processed'], when: 'always' },
  { standing: 'set-aside', states: ['failed', 'gone'], when: 'always' },
  { standing: 'at-service', states: ['completing', 'processing'], when: 'always' },
  { standing: 'recording', states: ['growing'], when: 'always' },
  { standing: 'uploading', states: ['uploading'], when: 'moving' },
  { standing: 'waiting', states: recordingStates, when: 'always' },
]

const isSent = ({ id }: Standpoint, { uploadingIds }: Viewpoint): boolean =>
  id === undefined || uploadingIds === undefined || uploadingIds.includes(id)

const holds = (when: StandingCondition, from: Standpoint, view: Viewpoint): boolean => {
  switch (when) {
    case 'left':
      return from.endsBy === 'folder' || from.endsBy === 'dismissed'
    case 'somebody':
      return from.endsBy !== null && from.endsBy !== 'time'
    case 'problem':
      return from.endsBy !== null
    case 'ours':
      return from.service !== null && from.service === view.service
    case 'moving':
      return from.endsBy === null && !from.paused && view.sending && isSent(from, view)
    case 'always':
      return true
  }
}

export const standingOf = (from: Standpoint, view: Viewpoint): Standing =>
  standingRules.find(({ states, when }) => states.includes(from.state) && holds(when, from, view))
    ?.standing ?? 'waiting'

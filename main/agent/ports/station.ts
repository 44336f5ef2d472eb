import type { ConditionName } from '../../../shared/status/conditions.ts'
import type { ProblemCode } from '../../../shared/status/problem.ts'
import type { Remote } from '../domain/failure.ts'
import type { PartGate, PartInQuestion } from '../domain/part-gate.ts'

/**
 * The conditions of the whole station. A condition is raised once for all recordings that would fail in the same way.
 */
export type StationConditions = {
  /** May Sluice send requests to the control API? */
  readonly mayRequest: () => boolean
  /** May a part start, and if not, do parts in flight finish? */
  readonly partGate: (part?: PartInQuestion) => PartGate
  readonly mayStartPart: (part?: PartInQuestion) => boolean
  readonly code: (name: ConditionName) => ProblemCode | null
  readonly raise: (
    name: ConditionName,
    code: ProblemCode,
    details?: {
      readonly detail?: string | undefined
      readonly requestId?: string | null
      readonly afterMs?: number | null
    },
  ) => void
  readonly clear: (name: ConditionName) => void
  readonly isProbeDue: (name: ConditionName) => boolean
  /** Call when a probe starts. */
  readonly beginProbe: (name: ConditionName) => void
  /**
   * Call at the start of a request to the control API, unless the request causes long work at the service. Call the
   * returned function at the end of the request.
   */
  readonly beginRequest: () => () => void
  /** Call when the control API or the storage has answered a request that was sent at `sentAtMs`. */
  readonly noteAnswer: (remote: Remote, sentAtMs: number) => void
  /** Call when a request failed in a way that counts towards a condition. */
  readonly noteFailure: (remote: Remote) => void
  /** Call when the service has answered whether it has this session. */
  readonly noteSession: (sessionId: string, exists: boolean) => void
  /** How often in a row the service denied that it has this session, and for how long. */
  readonly denialsOf: (sessionId: string) => { readonly count: number; readonly durationMs: number }
  /** Failures in a row, over all recordings. */
  readonly streak: (remote: Remote) => number
  /** Whether the key is known to belong to the organisation that has this station's sessions. */
  readonly isKeyTrusted: boolean
  readonly trust: () => void
}

/**
 * Progress for display, lost in a crash. Only the updater bases a decision on the progress: before it starts an
 * installer, it waits for the parts in flight.
 */
export type ProgressBoard = {
  readonly hashed: (recordingId: number, bytes: number) => void
  readonly sending: (recordingId: number, part: number, bytes: number) => void
  readonly partDone: (recordingId: number, part: number) => void
  readonly forget: (recordingId: number) => void
  /** The time at which the file will count as finished, unless it changes before. Null if no such time is known. */
  readonly settling: (recordingId: number, atMs: number | null) => void
  /**
   * The name of the file that this one waits for: an unfinished or missing file of its take, or its missing marker
   * file. Null if it waits for no file.
   */
  readonly waitingFor: (recordingId: number, name: string | null) => void
}

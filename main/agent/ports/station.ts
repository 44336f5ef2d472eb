import type { ConditionName } from '../../../shared/status/conditions.ts'
import type { ProblemCode } from '../../../shared/status/problem.ts'
import type { Remote } from '../domain/failure.ts'
import type { PartGate, PartInQuestion } from '../domain/part-gate.ts'

/** The conditions of the whole station. One condition stands for all recordings that would fail in the same way. */
export type StationConditions = {
  /** May Sluice send requests to the control API? */
  readonly mayRequest: () => boolean
  /** May a part start? If not, may parts in flight finish? */
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
   * Call when a request to the control API starts. Call the returned function when the request ends. Do not call this
   * for requests that cause long work at the service.
   */
  readonly beginRequest: () => () => void
  readonly noteAnswer: (remote: Remote, sentAtMs: number) => void
  /** Call when a request failed in a way that counts towards a condition. */
  readonly noteFailure: (remote: Remote) => void
  /** Call when the service has confirmed or denied that it has this session. */
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
 * Progress for display, kept only in memory. The updater also uses it, to wait for parts in flight before an
 * installation.
 */
export type ProgressBoard = {
  readonly hashed: (recordingId: number, bytes: number) => void
  readonly sending: (recordingId: number, part: number, bytes: number) => void
  readonly partDone: (recordingId: number, part: number) => void
  readonly forget: (recordingId: number) => void
  /** The time at which the file will count as finished if it does not change. Null if unknown. */
  readonly settling: (recordingId: number, atMs: number | null) => void
  /** The name of the file that this one waits for, such as a missing file of its take. Null if it waits for none. */
  readonly waitingFor: (recordingId: number, name: string | null) => void
}

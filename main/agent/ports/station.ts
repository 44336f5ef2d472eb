import type { ProblemCode } from '../../../shared/status/status.ts'
import type { ConditionName } from '../../../shared/status/conditions.ts'
import type { Remote } from '../domain/failure.ts'

/** What is true of the whole station at once: each condition is raised once for all recordings that would meet it. */
export type StationConditions = {
  /** No condition keeps requests back, and the key is known to be the station's own. */
  readonly mayAsk: () => boolean
  /** Not paused, and inside the upload hours. */
  readonly wantsUploads: () => boolean
  /** Uploads are wanted and the storage answers: parts whose URLs are known may go, whatever the control API does. */
  readonly maySend: () => boolean
  /** May both ask and send. */
  readonly mayUpload: () => boolean
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
  readonly probeDue: (name: ConditionName) => boolean
  readonly probing: (name: ConditionName) => void
  readonly heard: (remote: Remote, askedAtMs: number) => void
  readonly broke: (remote: Remote) => void
  readonly found: (sessionId: string, isThere: boolean) => void
  /** How often in a row the service denied this session, and since how long. */
  readonly denied: (sessionId: string) => { readonly times: number; readonly forMs: number }
  /** Failures in a row, over all recordings. */
  readonly streak: (remote: Remote) => number
  /** Whether the key is known to open the organisation that has this station's sessions. */
  readonly trusted: boolean
  readonly trust: () => void
}

/** What is under way right now. Not truth, only for the eye: lost in a crash, and nobody misses it. */
export type ProgressBoard = {
  readonly hashed: (recordingId: number, bytes: number) => void
  readonly sending: (recordingId: number, part: number, bytes: number) => void
  readonly partDone: (recordingId: number, part: number) => void
  readonly forget: (recordingId: number) => void
}

/* ---- service ---- */

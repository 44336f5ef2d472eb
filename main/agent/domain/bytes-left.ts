import type { EndsBy } from '../../../shared/status/problem-terms.ts'
import type { RecordingState } from '../../../shared/status/status.ts'
import { goesOnByItself } from './standing.ts'
import { needsFile } from './states.ts'

type Sending = {
  readonly recording: {
    readonly state: RecordingState
    readonly problem: { readonly endsBy: EndsBy } | null
    readonly paused: boolean
    /** Acknowledged by the storage. */
    readonly bytesSent: number
  }
  /** With the bytes in flight. */
  readonly bytesSent: number
}

/** The bytes of the upload queue. The journal counts what the storage has not acknowledged; bytes in flight are sent. */
export const bytesLeftOf = (unacknowledged: number, sending: readonly Sending[]): number =>
  sending
    .filter(({ recording: { state, problem, paused } }) => {
      return needsFile(state) && goesOnByItself({ endsBy: problem?.endsBy ?? null, paused })
    })
    .reduce(
      (left, { recording, bytesSent }) => left - Math.max(0, bytesSent - recording.bytesSent),
      unacknowledged,
    )

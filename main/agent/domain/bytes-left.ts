import type { EndsBy } from '../../../shared/status/problem-terms.ts'
import type { RecordingState } from '../../../shared/status/status.ts'
import { continuesByItself } from './standing.ts'
import { needsFile } from './states.ts'

type ActiveUpload = {
  readonly recording: {
    readonly state: RecordingState
    readonly problem: { readonly endsBy: EndsBy } | null
    readonly paused: boolean
    /** The bytes that the storage has acknowledged. */
    readonly bytesSent: number
  }
  readonly bytesSentOrInFlight: number
}

/**
 * The bytes still to send, without those in flight. `unacknowledgedBytes` is the journal's count: it includes bytes in
 * flight, but only recordings that continue by themselves.
 */
export const bytesLeftOf = (unacknowledgedBytes: number, uploads: readonly ActiveUpload[]): number =>
  uploads
    .filter(({ recording: { state, problem, paused } }) => {
      return needsFile(state) && continuesByItself({ endsBy: problem?.endsBy ?? null, paused })
    })
    .reduce(
      (bytesLeft, { recording, bytesSentOrInFlight }) =>
        bytesLeft - Math.max(0, bytesSentOrInFlight - recording.bytesSent),
      unacknowledgedBytes,
    )

import type { Failure } from './failure.ts'

/**
 * Hard case: The service names the session of a different recording.
 * Sluice compares id, SHA-256 and size of every session that it gets. If they differ, it never adopts, continues or
 * deletes the session. The recording waits and shows the problem.
 */

type ReportedContent = {
  readonly sha256?: string | null | undefined
  readonly bytes?: number | null | undefined
}
type RecordingContent = { readonly sha256: string | null; readonly identity: { readonly sizeBytes: number } }

/**
 * How a session's content differs from the recording's. Compares the size and the SHA-256, if the service returns them
 * (§2.2), but not the name: a service may normalise it, and a user may rename the file.
 */
export const contentDifference = (
  { sha256, bytes }: ReportedContent,
  { sha256: ownSha256, identity }: RecordingContent,
): string | null => {
  if (bytes != null && bytes !== identity.sizeBytes)
    return `the session has ${bytes} bytes, the file ${identity.sizeBytes}`
  if (sha256 != null && sha256.toLowerCase() !== ownSha256?.toLowerCase())
    return 'the session shows a different SHA-256'
  return null
}

/** A session with different content proves nothing about the recording, so Sluice does not use it. */
export const contentFailure = (
  session: ReportedContent,
  recording: RecordingContent,
  requestId: string | null,
): Failure | null => {
  const detail = contentDifference(session, recording)
  return detail === null ? null : { kind: 'session-mismatch', detail, requestId }
}

import type { Failure } from './failure.ts'

/**
 * Hard case: The service names the session of a different recording.
 * Sluice compares id, SHA-256 and size wherever it gets a session. It never adopts, continues or deletes a
 * session that differs. The recording does not count as safe: it waits and shows the problem.
 */

type ReportedContent = {
  readonly sha256?: string | null | undefined
  readonly bytes?: number | null | undefined
}
type RecordingContent = { readonly sha256: string | null; readonly identity: { readonly sizeBytes: number } }

/**
 * How a session's content differs from the recording's. Sluice compares the size and the SHA-256 if the service returns
 * them (§2.2). It does not compare file names: a service may normalise them, and a renamed file has the same content.
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

/**
 * A session with different content proves nothing about the recording: Sluice does not continue the session, and does
 * not count the recording as safe.
 */
export const contentFailure = (
  session: ReportedContent,
  recording: RecordingContent,
  requestId: string | null,
): Failure | null => {
  const detail = contentDifference(session, recording)
  return detail === null ? null : { kind: 'session-mismatch', detail, requestId }
}

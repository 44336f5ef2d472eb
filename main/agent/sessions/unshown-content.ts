import type { CreateSessionRequest } from '../../../shared/contract/control-api.ts'
import { type Failure, isDenial } from '../domain/failure.ts'
import type { Recording } from '../journal/journal.ts'
import type { RemoteSession } from '../ports/service.ts'
import { listedSessionDenied, type Search } from './search.ts'

/**
 * Hard case: The list shows sessions without their SHA-256.
 * A session with the recording's name and size may be its own, so Sluice retrieves and compares it. While the content
 * is unknown, the recording waits, so that Sluice creates no duplicate.
 */

/** The limit for one search, because a list may show thousands of sessions without their SHA-256. */
const MAX_RETRIEVED_SESSIONS = 100

const SHA256 = /^[0-9a-f]{64}$/

export const showsContent = ({ sha256 }: Pick<RemoteSession, 'sha256'>): boolean =>
  sha256 !== null && SHA256.test(sha256)

/**
 * Whether the session may have the recording's name. The file may have a new name since the creation request, and a
 * service may normalise Unicode.
 */
export const mayHaveNameOf = (
  { filename }: Pick<RemoteSession, 'filename'>,
  { name, createBody }: Pick<Recording, 'name' | 'createBody'>,
): boolean => {
  if (filename === null) return true
  const request = createBody === null ? {} : (JSON.parse(createBody) as Partial<CreateSessionRequest>)
  return [name, request.filename].some((candidate) => candidate?.normalize() === filename.normalize())
}

/** Whether the session may be the recording's own. A name or size that the service does not show counts as equal. */
export const mayBeOf = (
  session: Pick<RemoteSession, 'filename' | 'bytes'>,
  recording: Pick<Recording, 'name' | 'createBody' | 'identity'>,
): boolean =>
  mayHaveNameOf(session, recording) &&
  (session.bytes === null || session.bytes === recording.identity.sizeBytes)

/**
 * Retrieves sessions that the list shows without their SHA-256. Calls `onAnswer` with each session, or with null if it
 * no longer exists for this key. Returns a failure if any content is still unknown.
 */
export const retrieveUnshown = async (
  sessionIds: readonly string[],
  { service, isLost }: Pick<Search, 'service' | 'isLost'>,
  signal: AbortSignal,
  onAnswer: (sessionId: string, session: RemoteSession | null) => void,
): Promise<Failure | null> => {
  let unknown = sessionIds.length > MAX_RETRIEVED_SESSIONS ? unshownFailure(null) : null
  for (const sessionId of sessionIds.slice(0, MAX_RETRIEVED_SESSIONS)) {
    const answer = await service.retrieveSession(sessionId, signal)
    if (answer.ok) {
      const { value: session, requestId } = answer.value
      onAnswer(sessionId, session)
      if (!showsContent(session)) unknown = unshownFailure(requestId)
    } else {
      const { failure } = answer
      if (!isDenial(failure)) return failure
      if (isLost(sessionId, failure)) onAnswer(sessionId, null)
      else unknown = listedSessionDenied(failure)
    }
  }
  return unknown
}

const unshownFailure = (requestId: string | null): Failure => ({
  kind: 'list-endless',
  detail: 'a session with the same name and size shows no SHA-256',
  requestId,
})

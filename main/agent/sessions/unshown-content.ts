import type { CreateSessionRequest } from '../../../shared/contract/control-api.ts'
import { type Failure, isDenial } from '../domain/failure.ts'
import type { Recording } from '../journal/journal.ts'
import type { RemoteSession } from '../ports/service.ts'
import { listedDenied, type Search } from './search.ts'

/**
 * Hard case: The list shows sessions without their SHA-256.
 * A session with the recording's name and size may be the recording's own, so Sluice retrieves and compares it. As long
 * as the content stays unknown, the recording waits, and Sluice creates no duplicate.
 */

/** For one search. Otherwise a list full of such sessions would cost thousands of requests. */
const MAX_RETRIEVED = 100

const SHA256 = /^[0-9a-f]{64}$/

export const showsContent = ({ sha256 }: Pick<RemoteSession, 'sha256'>): boolean =>
  sha256 !== null && SHA256.test(sha256)

/** The file may have been renamed since its request, and a service may normalise Unicode in names. */
export const mayHaveNameOf = (
  { filename }: Pick<RemoteSession, 'filename'>,
  { name, createBody }: Pick<Recording, 'name' | 'createBody'>,
): boolean => {
  if (filename === null) return true
  const sent = createBody === null ? {} : (JSON.parse(createBody) as Partial<CreateSessionRequest>)
  return [name, sent.filename].some((known) => known?.normalize() === filename.normalize())
}

/** Whether name and size, as far as they are shown, are those of the recording. */
export const mayBeOf = (
  session: Pick<RemoteSession, 'filename' | 'bytes'>,
  recording: Pick<Recording, 'name' | 'createBody' | 'identity'>,
): boolean =>
  mayHaveNameOf(session, recording) &&
  (session.bytes === null || session.bytes === recording.identity.sizeBytes)

/**
 * Retrieves sessions that were listed without their SHA-256. `found` gets each answer; null if the service no longer has
 * the session for this key. A failure if the content of one is still unknown.
 */
export const retrieveUnshown = async (
  sessionIds: readonly string[],
  { service, isLost }: Pick<Search, 'service' | 'isLost'>,
  signal: AbortSignal,
  found: (sessionId: string, session: RemoteSession | null) => void,
): Promise<Failure | null> => {
  let unknown = sessionIds.length > MAX_RETRIEVED ? unshown(null) : null
  for (const sessionId of sessionIds.slice(0, MAX_RETRIEVED)) {
    const answer = await service.retrieveSession(sessionId, signal)
    if (answer.ok) {
      const { value: session, requestId } = answer.value
      found(sessionId, session)
      if (!showsContent(session)) unknown = unshown(requestId)
    } else {
      const { failure } = answer
      if (!isDenial(failure)) return failure
      if (isLost(sessionId, failure)) found(sessionId, null)
      else unknown = listedDenied(failure)
    }
  }
  return unknown
}

const unshown = (requestId: string | null): Failure => ({
  kind: 'list-endless',
  detail: 'a session with the same name and size shows no SHA-256',
  requestId,
})

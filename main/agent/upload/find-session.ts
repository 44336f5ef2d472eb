import { done, failed, type Outcome } from '../domain/failure.ts'
import type { Recording } from '../journal/journal.ts'
import type { RemoteSession, ServiceClient } from '../ports.ts'

const CLOCK_SLACK_MS = 3_600_000
const MOST_PAGES = 200

type Search = {
  readonly service: ServiceClient
  /** Whether no recording of this station has the session. */
  readonly isFree: (sessionId: string) => boolean
  readonly nowMs: number
}

/**
 * The journal's time is this PC's, `created` is the service's. A session that a wrong clock hides from the
 * look-up would be made twice, so without a measured difference the whole site is looked through.
 */
const earliestCreation = ({ createKeyAtMs }: Recording, { service, nowMs }: Search): number | null => {
  const offsetMs = service.clockOffsetMs()
  if (createKeyAtMs === null || offsetMs === null || createKeyAtMs > nowMs) return null
  return createKeyAtMs + Math.min(offsetMs, 0) - CLOCK_SLACK_MS
}

/** The session of a recording whose creation was, or may have been, heard: found by its content (§4.5). */
export const findSession = async (
  recording: Recording,
  search: Search,
  signal: AbortSignal,
): Promise<Outcome<RemoteSession | null>> => {
  const sinceMs = earliestCreation(recording, search)
  const filter = {
    site: recording.site,
    limit: 500,
    ...(sinceMs === null ? {} : { createdFrom: new Date(sinceMs).toISOString() }),
  }
  let cursor: string | null = null
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const listed: Awaited<ReturnType<ServiceClient['listSessions']>> = await search.service.listSessions(
      { ...filter, ...(cursor === null ? {} : { cursor }) },
      signal,
    )
    if (!listed.ok) return listed
    const { sessions, nextCursor, unreadableSha256 = [] } = listed.value.value
    const found = sessions.find(
      (session) =>
        session.sha256 === recording.sha256 &&
        session.bytes === recording.identity.sizeBytes &&
        session.filename === recording.name &&
        search.isFree(session.id),
    )
    if (found !== undefined) return done(found)
    // It may be its own: a second one would be a twin.
    if (recording.sha256 !== null && unreadableSha256.includes(recording.sha256)) {
      const detail = 'a listed session with the same content cannot be read'
      return failed({ kind: 'unreadable-answer', detail, requestId: listed.value.requestId })
    }
    if (nextCursor === null) break
    cursor = nextCursor
  }
  return done(null)
}

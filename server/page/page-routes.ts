import { invalid, ok } from '../answer.ts'
import { isoTime } from '../clock.ts'
import type { Handler } from '../control/call.ts'
import { findSession } from '../control/find-session.ts'
import { checkFilter, listView } from '../control/list-sessions.ts'
import { recordChange } from '../control/record-change.ts'
import { idPattern, type Route, route } from '../control/routes.ts'
import { partCount } from '../part-plan.ts'
import { sessionView } from '../session-view.ts'
import { meta } from '../store/meta.ts'
import { orgs } from '../store/orgs.ts'
import { parts } from '../store/parts.ts'
import { sessions } from '../store/sessions.ts'
import { stations } from '../store/stations.ts'
import { notComplete } from './answer-download.ts'
import { signDownloadLink } from './download-link.ts'

const scanLimit = 5_000
const maxSearchLength = 200
const maxStations = 1_000

/** Who signed in, and how much the organisation stores. */
const readAccount: Handler = async ({ context, key }) => {
  const org = (await context.store.read(orgs.get(key.org_id)))!
  return ok({
    organisation: org.name,
    key: { name: key.name, can_write: key.can_write === 1 },
    used: { bytes: org.used_bytes, sessions: org.used_sessions },
    limit: { bytes: org.max_bytes, sessions: org.max_sessions },
  })
}

/**
 * The list of sessions as in the contract (§4.5), with a text search. One request searches at most `scanLimit` sessions, so a page may be short
 * or empty although more pages follow. `searched_to` is the time of the oldest session that the request searched.
 */
const searchSessions: Handler = async (call) => {
  const request = checkFilter(call)
  if (request.kind === 'refusal') return request
  const filter = request.value
  const text = call.query.get('search')?.trim() ?? ''
  if (text === '' || text.length > maxSearchLength || text.includes('\0') || !text.isWellFormed())
    return invalid('search', `search must be a text of 1 to ${maxSearchLength} characters.`)
  const steps = sessions.search({ ...filter, limit: filter.limit + 1 }, text, scanLimit)
  const { rows, scannedTo } = await call.context.store.read(steps)
  const page = rows.slice(0, filter.limit)
  if (rows.length > filter.limit) return ok(listView(call, page, page.at(-1)!.seq))
  if (scannedTo === null) return ok(listView(call, page, null))
  return ok({ ...listView(call, page, scannedTo.seq), searched_to: isoTime(scannedTo.at) })
}

/** A session with the times of its stages. The URLs of its parts are left out, because the web page never uploads. */
const readSession: Handler = async (call) => {
  const result = await findSession(call)
  if (result.kind === 'refusal') return result
  const session = result.value
  const received = await call.context.store.read(parts.received(session.id))
  return ok({
    ...sessionView(session),
    ...(session.uploaded_at === null ? {} : { uploaded_at: isoTime(session.uploaded_at) }),
    parts: { total: partCount(session), received: received.parts, received_bytes: received.bytes },
  })
}

const createDownloadLink: Handler = async (call) => {
  const result = await findSession(call)
  if (result.kind === 'refusal') return result
  const { id, status } = result.value
  if (status === 'uploading') return notComplete
  const { store, clock, limits, signer } = call.context
  const expiresAtS = Math.floor(clock.now() / 1000) + limits.urlLifetimeS
  const epoch = await store.write(function* () {
    // A copy of the recording leaves the server, so the audit log records the link. It records no other reads.
    yield* recordChange(call, 'session.download', id)
    return yield* meta.urlEpoch()
  })
  const url = signDownloadLink(signer.secret, { sessionId: id, keyId: call.key.id, expiresAtS, epoch })
  return ok({ url, expires_at: isoTime(expiresAtS * 1000) })
}

const listStations: Handler = async ({ context, key }) => {
  const rows = await context.store.read(stations.list(key.org_id, maxStations + 1))
  return ok({
    object: 'list',
    data: rows.slice(0, maxStations).map((row) => ({
      site: row.site,
      ...(row.device === '' ? {} : { device: row.device }),
      sessions: row.sessions,
      bytes: row.bytes,
      last_session_at: isoTime(row.last_session_at),
      ...(row.last_upload_at === null ? {} : { last_upload_at: isoTime(row.last_upload_at) }),
    })),
    has_more: rows.length > maxStations,
  })
}

/** The data of the page. Each route needs a key, and shows only the organisation of that key. */
export const pageRoutes: readonly Route[] = [
  route('page', 'GET', '/page/account', readAccount),
  route('page', 'GET', '/page/stations', listStations),
  route('page', 'GET', '/page/sessions', searchSessions),
  route('page', 'GET', `/page/sessions/${idPattern}`, readSession),
  route('page', 'GET', `/page/sessions/${idPattern}/download`, createDownloadLink),
]

import type { CreatedSession, Session, SessionIssue, Upload } from '../shared/contract/control-api.ts'
import type { CreatedUpload } from './answer.ts'
import { isoTime } from './clock.ts'
import { partBytes, partCount } from './part-plan.ts'
import { signPartUrl, type UrlSigner, urlsExpireAtMs } from './storage/signed-url.ts'
import type { SessionRow } from './store/sessions.ts'

/** §2.2. A field without a known value is absent. */
export function sessionView(row: SessionRow): Session {
  return {
    id: row.id,
    object: 'session',
    site: row.site,
    ...(row.device === null ? {} : { device: row.device }),
    filename: row.filename,
    bytes: row.bytes,
    sha256: row.sha256,
    status: row.status,
    ...(row.recorded_at === null ? {} : { recorded_at: isoTime(row.recorded_at) }),
    ...(row.duration_s === null ? {} : { duration_s: row.duration_s }),
    channels: JSON.parse(row.channels) as string[],
    segment_count: row.segment_count,
    issues: JSON.parse(row.issues) as SessionIssue[],
    ...(row.notes === null ? {} : { notes: row.notes }),
    created_at: isoTime(row.created_at),
    ...(row.processed_at === null ? {} : { processed_at: isoTime(row.processed_at) }),
  }
}

/** §2.3. The same input gives the same URLs. */
export function createdBody(signer: UrlSigner, created: CreatedUpload): CreatedSession {
  const { session, signed, uploadUrl } = created
  const upload = uploadView({ ...signer, uploadUrl }, session, new Set(), signed)
  return { id: session.id, object: 'session', status: 'uploading', upload }
}

/** §4.4: only the missing parts, each with a URL signed at the given time. */
export function uploadView(
  signer: UrlSigner,
  session: CreatedUpload['session'],
  receivedNumbers: ReadonlySet<number>,
  signing: CreatedUpload['signed'],
): Upload {
  const terms = { nowMs: signing.atMs, lifetimeS: signing.lifetimeS, epoch: signing.epoch }
  const parts = []
  for (let number = 1; number <= partCount(session); number += 1) {
    if (receivedNumbers.has(number)) continue
    const part = { sessionId: session.id, number, bytes: partBytes(session, number) }
    parts.push({ number, url: signPartUrl(signer, part, terms) })
  }
  return { part_size: session.part_size, expires_at: isoTime(urlsExpireAtMs(terms)), parts }
}

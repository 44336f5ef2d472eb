import type { List, Session } from '../../../shared/contract/control-api.ts'
import type { SessionSummary, TimelineEntry } from '../../../shared/status/status.ts'

/** The answers of the routes under /page. The server and its page always have the same version. */

export type Account = {
  readonly organisation: string
  readonly key: { readonly name: string; readonly can_write: boolean }
  readonly used: { readonly bytes: number; readonly sessions: number }
  /** Null: no limit. */
  readonly limit: { readonly bytes: number | null; readonly sessions: number | null }
}

export type Station = {
  readonly site: string
  readonly device?: string
  readonly sessions: number
  readonly bytes: number
  readonly last_session_at: string
  readonly last_upload_at?: string
}

export type StationList = { readonly data: readonly Station[]; readonly has_more: boolean }

/** `searched_to`: the server has searched only the sessions since this time. */
export type SearchAnswer = List<Session> & { readonly searched_to?: string }

export type SessionDetails = Session & {
  readonly uploaded_at?: string
  readonly parts: { readonly total: number; readonly received: number; readonly received_bytes: number }
}

export type DownloadLink = { readonly url: string; readonly expires_at: string }

export const summaryOf = (session: Session): SessionSummary => ({
  id: session.id,
  status: session.status,
  site: session.site,
  device: session.device ?? null,
  filename: session.filename,
  bytes: session.bytes,
  recordedAt: session.recorded_at ?? null,
  durationS: session.duration_s ?? null,
  channels: session.channels ?? [],
  segmentCount: session.segment_count ?? null,
  issues: session.issues ?? [],
  createdAt: session.created_at,
  processedAt: session.processed_at ?? null,
})

/** The stages of a session, as in the station's timeline. */
export const timelineOf = (session: SessionDetails): readonly TimelineEntry[] => {
  const { created_at, uploaded_at, processed_at, status } = session
  const entry = (to: TimelineEntry['to'], at: string, reason: string): TimelineEntry => ({
    at,
    from: null,
    to,
    reason,
    requestId: null,
  })
  return [
    entry('uploading', created_at, 'the station created the session'),
    ...(uploaded_at === undefined ? [] : [entry('processing', uploaded_at, 'all bytes arrived and match')]),
    ...(processed_at === undefined
      ? []
      : [entry(status === 'failed' ? 'failed' : 'processed', processed_at, '')]),
  ]
}

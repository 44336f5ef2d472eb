import type { SessionStatus } from '../../../shared/contract/control-api.ts'
import type { CheckedArgs } from '../../../shared/ipc/ipc.ts'
import type { RecordingState, SessionListPage, SessionSummary } from '../../../shared/status/status.ts'
import { HALL, TRACK } from './folders.ts'
import { busyStates, bytesOf, folderOf, foundAt, nameOf, sessionIdOf, stageDurationMs } from './night.ts'

const statuses: readonly SessionStatus[] = [
  'uploading',
  'processing',
  'processed',
  'processed',
  'processed',
  'failed',
]
const sites = ['Hall 1', 'Hall 2', 'Workshop', 'Warehouse'] as const
const OTHER_SESSION_COUNT = 180
const STATION_SESSION_COUNT = 42

type SessionFacts = Pick<SessionSummary, 'id' | 'site' | 'device' | 'filename' | 'bytes' | 'status'> & {
  readonly createdAtMs: number
}

const sessionOf = ({ createdAtMs, ...facts }: SessionFacts): SessionSummary => {
  const createdAt = new Date(createdAtMs).toISOString()
  const isProcessed = facts.status === 'processed'
  return {
    ...facts,
    createdAt,
    recordedAt: isProcessed ? createdAt : null,
    processedAt: isProcessed ? createdAt : null,
    durationS: isProcessed ? 600 : null,
    segmentCount: isProcessed ? 38 : null,
    channels: isProcessed ? ['/camera/front', '/imu', '/tf'] : [],
    issues: [],
  }
}

/** Sessions of other stations. */
const otherSessions = (nowMs: number): readonly SessionSummary[] =>
  Array.from({ length: OTHER_SESSION_COUNT }, (_, index) => {
    const site = sites[index % sites.length] ?? 'Hall 1'
    return sessionOf({
      id: `ses_${8_800_000 + index}`,
      site,
      device: `rig-0${(index % 6) + 1}`,
      filename: `${site.toLowerCase().replace(' ', '')}_${String(index).padStart(4, '0')}.mcap`,
      bytes: (((index * 6_151) % 8_000) + 400) * 1_000_000,
      status: statuses[index % statuses.length] ?? 'processed',
      createdAtMs: nowMs - index * 47 * 60_000,
    })
  })

/** The session status for each recording state. Null if the recording has no session. */
const sessionStatusOf: Readonly<Record<RecordingState, SessionStatus | null>> = {
  growing: null,
  queued: null,
  hashing: null,
  ready: null,
  uploading: 'uploading',
  completing: 'uploading',
  processing: 'processing',
  processed: 'processed',
  failed: 'failed',
  gone: null,
}

/** Sessions of this station's busy night. */
const stationSessions = (nowMs: number): readonly SessionSummary[] =>
  Array.from({ length: STATION_SESSION_COUNT }, (_, index) => index).flatMap((index) => {
    const status = sessionStatusOf[busyStates[index] ?? 'processed']
    if (status === null) return []
    const folder = [HALL, TRACK][folderOf(index)] ?? HALL
    const bytes = bytesOf(index)
    const foundAtMs = foundAt(index, nowMs)
    return sessionOf({
      id: sessionIdOf(index + 1),
      site: folder.site,
      device: 'device' in folder ? folder.device : null,
      filename: nameOf(index, folder.site, foundAtMs),
      bytes,
      status,
      createdAtMs: foundAtMs + stageDurationMs('settled', bytes) + stageDurationMs('hashed', bytes),
    })
  })

const deletedIds = new Set<string>()
const newestFirst = (a: SessionSummary, b: SessionSummary) =>
  (b.createdAt ?? '').localeCompare(a.createdAt ?? '')
const sessions = [...stationSessions(Date.now()), ...otherSessions(Date.now())].toSorted(newestFirst)
const remainingSessions = () => sessions.filter(({ id }) => !deletedIds.has(id))

export const deleteSession = (id: string): void => {
  deletedIds.add(id)
}

export const getSession = (id: string): SessionSummary | undefined =>
  remainingSessions().find((session) => session.id === id)

export const listSessions = (query: CheckedArgs<'listSessions'>): SessionListPage => {
  const matching = remainingSessions().filter(
    (session) =>
      (query.site === undefined || session.site === query.site) &&
      (query.status === undefined || session.status === query.status) &&
      (query.createdFrom === undefined || (session.createdAt ?? '') >= query.createdFrom) &&
      (query.createdBefore === undefined || (session.createdAt ?? '') < query.createdBefore),
  )
  const offset = Number(query.cursor ?? 0)
  const end = offset + query.limit
  return { sessions: matching.slice(offset, end), nextCursor: end < matching.length ? String(end) : null }
}

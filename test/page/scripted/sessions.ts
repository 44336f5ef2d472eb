import type { Session, SessionStatus } from '../../../shared/control-api.ts'
import type { CheckedArgs } from '../../../shared/ipc.ts'
import type { SessionListPage } from '../../../shared/status.ts'

const statuses: readonly SessionStatus[] = [
  'uploading',
  'processing',
  'processed',
  'processed',
  'processed',
  'failed',
]
const sites = ['Hall 3', 'Test track', 'Hall 1', 'Warehouse'] as const
const TOTAL = 180

const sessionAt = (index: number): Session => {
  const status = statuses[index % statuses.length] ?? 'processed'
  const site = sites[index % sites.length] ?? 'Hall 3'
  const created = new Date(Date.now() - index * 47 * 60_000).toISOString()
  return {
    id: `ses_${8_800_000 + index}`,
    object: 'session',
    site,
    device: `rig-0${(index % 7) + 1}`,
    filename: `${site.toLowerCase().replace(' ', '')}_${String(index).padStart(4, '0')}.mcap`,
    bytes: (((index * 6_151) % 8_000) + 400) * 1_000_000,
    sha256: '0c5e9f2b7a1d4c83e6f0a94b2d7715c8036be1f45d92aa07c3e8b6140f5d2a97',
    status,
    created_at: created,
    ...(status === 'processed'
      ? {
          recorded_at: created,
          processed_at: created,
          duration_s: 612,
          segment_count: 12 + (index % 40),
          channels: ['/camera/front', '/imu', '/tf'],
          issues: [],
        }
      : {}),
  }
}

const deleted = new Set<string>()
const all = () =>
  Array.from({ length: TOTAL }, (_, index) => sessionAt(index)).filter(({ id }) => !deleted.has(id))

export const deleteSession = (id: string): void => {
  deleted.add(id)
}

export const getSession = (id: string): Session | undefined => all().find((session) => session.id === id)

export const listSessions = (query: CheckedArgs<'listSessions'>): SessionListPage => {
  const matching = all().filter(
    (session) =>
      (query.site === undefined || session.site === query.site) &&
      (query.status === undefined || session.status === query.status) &&
      (query.createdFrom === undefined || session.created_at >= query.createdFrom) &&
      (query.createdBefore === undefined || session.created_at < query.createdBefore),
  )
  const offset = Number(query.cursor ?? 0)
  const end = offset + query.limit
  return { sessions: matching.slice(offset, end), nextCursor: end < matching.length ? String(end) : null }
}

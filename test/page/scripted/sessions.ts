import type { SessionStatus } from '../../../shared/control-api.ts'
import type { CheckedArgs } from '../../../shared/ipc.ts'
import type { SessionListPage, SessionSummary } from '../../../shared/status.ts'

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

const sessionAt = (index: number): SessionSummary => {
  const status = statuses[index % statuses.length] ?? 'processed'
  const site = sites[index % sites.length] ?? 'Hall 3'
  const created = new Date(Date.now() - index * 47 * 60_000).toISOString()
  const processed = status === 'processed'
  return {
    id: `ses_${8_800_000 + index}`,
    site,
    device: `rig-0${(index % 7) + 1}`,
    filename: `${site.toLowerCase().replace(' ', '')}_${String(index).padStart(4, '0')}.mcap`,
    bytes: (((index * 6_151) % 8_000) + 400) * 1_000_000,
    status,
    createdAt: created,
    recordedAt: processed ? created : null,
    processedAt: processed ? created : null,
    durationS: processed ? 612 : null,
    segmentCount: processed ? 12 + (index % 40) : null,
    channels: processed ? ['/camera/front', '/imu', '/tf'] : [],
    issues: [],
  }
}

const deleted = new Set<string>()
const all = () =>
  Array.from({ length: TOTAL }, (_, index) => sessionAt(index)).filter(({ id }) => !deleted.has(id))

export const deleteSession = (id: string): void => {
  deleted.add(id)
}

export const getSession = (id: string): SessionSummary | undefined =>
  all().find((session) => session.id === id)

export const listSessions = (query: CheckedArgs<'listSessions'>): SessionListPage => {
  const matching = all().filter(
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

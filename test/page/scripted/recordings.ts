import type {
  PartState,
  Problem,
  ProblemCode,
  RecordingDetail,
  RecordingRow,
  RecordingState,
  TimelineEntry,
} from '../../../shared/status.ts'

/** Recordings as a station would have them: the same ones at every run, so that pictures can be compared. */

const FOLDERS = [
  { path: 'D:\\Recordings\\hall-3', site: 'Hall 3' },
  { path: '\\\\nas-02\\capture\\outdoor', site: 'Test track' },
] as const

type Told = Pick<Problem, 'owner' | 'sentence' | 'next' | 'endsBy'> & Partial<Problem>
const problem = (code: ProblemCode, rest: Told): Problem => ({
  code,
  nextAt: null,
  requestId: null,
  param: null,
  ...rest,
})

export const problems = {
  siteRefused: problem('site-refused', {
    owner: 'admin',
    sentence: 'The service does not accept the site. (Sites have letters, digits and hyphens only.)',
    next: 'Correct the site of the folder in the settings. Sluice then goes on by itself.',
    endsBy: 'settings',
    requestId: 'req_01JX7V1S6D9E',
    param: 'site',
  }),
  nameRefused: problem('name-refused', {
    owner: 'technician',
    sentence: 'The service does not accept the file name. (No file format is known by this ending.)',
    next: 'Rename the file. Sluice then takes it by itself.',
    endsBy: 'file',
    requestId: 'req_01JX7V5F3N8A',
    param: 'filename',
  }),
  storageBusy: problem('storage-busy', {
    owner: 'service',
    sentence: 'The storage asks to slow down. (SlowDown: please reduce your request rate.)',
    next: 'Sluice goes on by itself.',
    endsBy: 'time',
    requestId: 'req_01JX7V8W2L4P',
  }),
  completionPending: problem('completion-pending', {
    owner: 'service',
    sentence: 'The service is still putting the parts together.',
    next: 'Sluice asks again by itself.',
    endsBy: 'time',
    requestId: 'req_01JX7V6R9G1M',
  }),
  refused: problem('processing-failed', {
    owner: 'service',
    sentence: 'The service could not process this recording.',
    next: 'Tell the service’s support, with the request id below.',
    endsBy: 'person',
    requestId: 'req_01JX7V3K8Q2M',
  }),
  offline: problem('service-unreachable', {
    owner: 'technician',
    sentence: 'The service cannot be reached.',
    next: 'Check the network. Sluice tries again by itself.',
    endsBy: 'time',
  }),
  storageUnreachable: problem('storage-unreachable', {
    owner: 'technician',
    sentence: 'The storage of the service cannot be reached. (connect ETIMEDOUT)',
    next: 'Check the network and its firewall. Sluice tries again by itself.',
    endsBy: 'time',
  }),
  clockWrong: problem('clock-wrong', {
    owner: 'admin',
    sentence: 'This PC’s clock is wrong.',
    next: 'Set the clock. Uploads go on meanwhile, by the clock of the service.',
    endsBy: 'settings',
  }),
  keyRefused: problem('key-refused', {
    owner: 'admin',
    sentence: 'The service refuses the key of this station.',
    next: 'Store another key under Service & key. Recordings wait until then.',
    endsBy: 'key',
    requestId: 'req_01JX7V9T4C0B',
  }),
} as const

/** The newest ones are under way, some of them held; behind them everything is safe, but for a few. */
const HEAD: readonly (RecordingState | readonly [RecordingState, Problem])[] = [
  'growing',
  'hashing',
  'uploading',
  'uploading',
  ['uploading', problems.storageBusy],
  'ready',
  'queued',
  ['completing', problems.completionPending],
  'processing',
  'processing',
  ['ready', problems.siteRefused],
  'processed',
  'processed',
  ['failed', problems.refused],
  'processed',
  'processed',
  'gone',
]

/** `held`: as busy, but the station is stopped, so that no byte moves and no recording needs anybody. */
export type Kind = 'busy' | 'calm' | 'refused' | 'held'

type Standing = { readonly state: RecordingState; readonly problem: Problem | null }

const standingAt = (index: number, kind: Kind, now: number): Standing => {
  const safe: Standing = { state: 'processed', problem: null }
  if (kind === 'calm') return safe
  if (kind === 'refused') return index < 10_000 ? { state: 'ready', problem: problems.siteRefused } : safe
  const head = HEAD[index] ?? 'processed'
  const [state, problem] = typeof head === 'string' ? [head, null] : head
  if (kind === 'held') return state === 'failed' || state === 'gone' ? safe : { state, problem: null }
  if (problem?.endsBy !== 'time') return { state, problem }
  return { state, problem: { ...problem, nextAt: new Date(now + 4 * 60_000).toISOString() } }
}

const MiB = 1_048_576
const two = (value: number) => String(value).padStart(2, '0')

export const rowAt = (index: number, kind: Kind, now: number, startedAt: number): RecordingRow => {
  const { state, problem } = standingAt(index, kind, now)
  const folder = index % 5 === 3 ? FOLDERS[1] : FOLDERS[0]
  const foundAt = new Date(now - (index * 11 + 3) * 60_000)
  const bytes = (((index * 7919) % 9_000) + 600) * 1_000_000
  const sending = state === 'uploading'
  const speed = sending && kind === 'busy' && problem === null ? 32_100_000 + (index % 4) * 4_000_000 : null
  const elapsed = Math.max(0, (now - startedAt) / 1000)
  const sent = sending ? Math.min(bytes, bytes * (0.2 + (index % 5) * 0.13) + elapsed * (speed ?? 0)) : 0
  const allSent = ['completing', 'processing', 'processed', 'failed'].includes(state)
  const partsTotal = state === 'growing' || state === 'queued' ? null : Math.ceil(bytes / (64 * MiB))
  const day = `${foundAt.getFullYear()}${two(foundAt.getMonth() + 1)}${two(foundAt.getDate())}`
  const name = `${folder.site === 'Hall 3' ? 'hall3' : 'track'}_${day}_${two(foundAt.getHours())}${two(foundAt.getMinutes())}${index % 7 === 2 ? '_calibration-run-with-both-arms' : ''}.mcap`
  return {
    id: index + 1,
    path: `${folder.path}\\${name}`,
    name,
    folder: folder.path,
    site: folder.site,
    state,
    bytes,
    bytesHashed: state === 'hashing' ? Math.round(bytes * 0.62) : partsTotal === null ? 0 : bytes,
    bytesSent: allSent ? bytes : Math.round(sent),
    bytesPerSecond: speed,
    etaSeconds: speed === null ? null : (bytes - sent) / speed,
    partsTotal,
    partsSent: partsTotal === null ? 0 : allSent ? partsTotal : Math.floor(sent / (64 * MiB)),
    sessionId:
      partsTotal === null || state === 'hashing' || state === 'ready' ? null : `ses_${9_000_000 - index}`,
    problem,
    heldSince: problem === null ? null : new Date(foundAt.getTime() + 90_000).toISOString(),
    urgent: index === 3 && kind === 'busy',
    paused: false,
    foundAt: foundAt.toISOString(),
    changedAt: new Date(foundAt.getTime() + 90_000).toISOString(),
  }
}

const STEPS: readonly RecordingState[] = [
  'growing',
  'queued',
  'hashing',
  'ready',
  'uploading',
  'completing',
  'processing',
]

const reasons: Partial<Record<RecordingState, string>> = {
  growing: 'Noticed while it was being written',
  queued: 'Unchanged for 10 s, footer complete',
  failed: 'The service reported an error',
}

const timelineOf = (row: RecordingRow): TimelineEntry[] => {
  const until = STEPS.indexOf(row.state)
  const path = until >= 0 ? STEPS.slice(0, until + 1) : [...STEPS, row.state]
  const start = Date.parse(row.foundAt)
  return path.map((to, step) => ({
    at: new Date(start + step * step * 11_000).toISOString(),
    from: path[step - 1] ?? null,
    to,
    reason: reasons[to] ?? '',
    requestId: to === 'completing' ? 'req_01JX7V2B7H5N' : null,
  }))
}

const partsOf = (row: RecordingRow): PartState[] =>
  Array.from({ length: row.partsTotal ?? 0 }, (_, index) => {
    if (index < row.partsSent) return 'sent'
    return row.state === 'uploading' && row.problem === null && index < row.partsSent + 4
      ? 'sending'
      : 'missing'
  })

export const detailOf = (row: RecordingRow): RecordingDetail => ({
  ...row,
  sha256: row.partsTotal === null ? null : '9f2c5e0b7a1d4c83e6f0a94b2d7715c8036be1f45d92aa07c3e8b6140f5d2a97',
  modifiedAt: new Date(Date.parse(row.foundAt) + 30_000).toISOString(),
  partSize: 64 * MiB,
  parts: partsOf(row),
  timeline: timelineOf(row),
  duplicateOf: null,
  session:
    row.state === 'processed' || row.state === 'failed'
      ? {
          id: row.sessionId ?? 'ses_1',
          status: row.state,
          site: row.site,
          device: 'rig-07',
          filename: row.name,
          bytes: row.bytes,
          recordedAt: row.foundAt,
          durationS: 754,
          channels: ['/camera/front', '/camera/wrist', '/imu', '/joint_states', '/tf'],
          segmentCount: row.state === 'processed' ? 38 : 0,
          issues: [
            {
              code: 'clock_offset_estimated',
              severity: 'info',
              channel: '/imu',
              detail: 'Clock offset of 12 ms was estimated and removed.',
            },
            {
              code: 'frames_dropped',
              severity: 'warning',
              channel: '/camera/wrist',
              detail: '14 of 22,620 frames are missing.',
            },
            ...(row.state === 'failed'
              ? [
                  {
                    code: 'index_unreadable',
                    severity: 'error' as const,
                    detail: 'The file’s index cannot be read.',
                  },
                ]
              : []),
          ],
          createdAt: row.foundAt,
          processedAt: row.changedAt,
        }
      : null,
})

import {
  type Problem,
  type RecordingRow,
  type RecordingState,
  recordingStates,
  type Status,
} from '../../shared/status.ts'

export const aProblem = (part: Partial<Problem> = {}): Problem => ({
  code: 'file-unreadable',
  owner: 'technician',
  sentence: 'The file cannot be read.',
  next: 'Correct its rights.',
  endsBy: 'file',
  nextAt: null,
  requestId: null,
  param: null,
  ...part,
})

export const aRow = (part: Partial<RecordingRow> = {}): RecordingRow => ({
  id: 1,
  path: '/rec/a.mcap',
  name: 'a.mcap',
  folder: '/rec',
  site: 'Hall 3',
  state: 'processed',
  bytes: 2_000_000_000,
  bytesHashed: 2_000_000_000,
  bytesSent: 500_000_000,
  bytesPerSecond: null,
  etaSeconds: null,
  partsTotal: 30,
  partsSent: 7,
  sessionId: null,
  problem: null,
  heldSince: null,
  urgent: false,
  paused: false,
  foundAt: '2026-03-12T05:00:00.000Z',
  changedAt: '2026-03-12T05:10:00.000Z',
  ...part,
})

type Part = Partial<Omit<Status, 'station' | 'transfer' | 'report'>> & {
  readonly station?: Partial<Status['station']>
  readonly transfer?: Partial<Status['transfer']>
  readonly report?: Partial<Status['report']>
}

export const aStatus = (part: Part = {}): Status => ({
  at: '2026-03-12T07:42:00.000Z',
  counts: Object.fromEntries(recordingStates.map((state) => [state, 0])) as Record<RecordingState, number>,
  needPerson: 0,
  folders: [],
  problems: [],
  recent: [],
  ...part,
  station: {
    state: 'idle',
    headline: 'All 42 recordings are safe. Last one 3 minutes ago.',
    pausedUntil: null,
    paused: false,
    problem: null,
    conditions: [],
    outsideWindowUntil: null,
    clockOffsetMs: 0,
    serviceReachable: true,
    ...part.station,
  },
  transfer: { bytesPerSecond: 0, bytesLeft: 0, etaSeconds: null, ...part.transfer },
  report: {
    since: '2026-03-11T17:00:00.000Z',
    recorded: 0,
    uploaded: 0,
    processed: 0,
    failed: 0,
    waiting: 0,
    ...part.report,
  },
})

import { standingOf } from '../../../../main/agent/domain/standing.ts'
import { type NightPart, nightParts, totalOf } from '../../../../shared/status/night-parts.ts'
import type { Problem } from '../../../../shared/status/problem.ts'
import { type Standing, standings } from '../../../../shared/status/standing.ts'
import {
  type FolderStatus,
  type RecordingRow,
  type RecordingState,
  recordingStates,
  type Status,
} from '../../../../shared/status/status.ts'

export const aProblem = (change: Partial<Problem> = {}): Problem => ({
  code: 'file-unreadable',
  owner: 'technician',
  sentence: 'The file cannot be read.',
  next: 'Correct its rights.',
  endsBy: 'file',
  nextAt: null,
  requestId: null,
  param: null,
  ...change,
})

const aRowWithoutStanding = (change: Partial<RecordingRow>): Omit<RecordingRow, 'standing'> => ({
  id: 1,
  path: '/rec/a.mcap',
  name: 'a.mcap',
  folder: '/rec',
  take: null,
  wholeTake: null,
  site: 'Hall 3',
  state: 'processed',
  bytes: 2_000_000_000,
  bytesHashed: 2_000_000_000,
  bytesSent: 500_000_000,
  bytesPerSecond: null,
  partsTotal: 30,
  partsSent: 7,
  sessionId: null,
  problem: null,
  heldSince: null,
  settlesAt: null,
  waitsFor: null,
  prioritised: false,
  paused: false,
  uploadNow: false,
  foundAt: '2026-03-12T05:00:00.000Z',
  changedAt: '2026-03-12T05:10:00.000Z',
  removedAt: null,
  movedTo: null,
  ...change,
})

/** A row with the standing that the agent would compute. */
export const aRow = (change: Partial<RecordingRow> = {}): RecordingRow => {
  const row = aRowWithoutStanding(change)
  const service = 'https://api.example.com'
  const standing = standingOf(
    { ...row, endsBy: row.problem?.endsBy ?? null, service },
    { service, sending: true },
  )
  return { standing, ...row }
}

const standingCounts = (change: Partial<Record<Standing, number>>): Record<Standing, number> => ({
  ...(Object.fromEntries(standings.map((standing) => [standing, 0])) as Record<Standing, number>),
  ...change,
})

/** A silent folder whose setting allows notifications. */
export const aSilentFolder = (path: string, site: string): FolderStatus => ({
  path,
  site,
  device: null,
  state: 'watching',
  problem: null,
  problems: [],
  recordings: 40,
  waiting: 0,
  lastFoundAt: null,
  silence: {
    loud: true,
    sentence: `${site} usually has 30 recordings by now; none since 18:00.`,
    because: 'In the last 8 Wednesday nights it had 28 to 31 recordings by 23:15.',
    since: '2026-03-11T17:00:00.000Z',
    night: '2026-03-11',
    usual: 30,
    tonight: 0,
  },
})

/** The report of a night with this many recordings of each standing. */
export const aNight = (change: Partial<Record<Standing, number>>): Status['report'] => ({
  since: '2026-03-11T17:00:00.000Z',
  recorded: totalOf(standingCounts(change)),
  bytes: 0,
  standings: standingCounts(change),
  partBytes: Object.fromEntries(nightParts.map((each) => [each, 0])) as Record<NightPart, number>,
  sentBytes: 0,
})

type StatusChange = Partial<Omit<Status, 'station' | 'transfer'>> & {
  readonly station?: Partial<Status['station']>
  readonly transfer?: Partial<Status['transfer']>
}

export const aStatus = (change: StatusChange = {}): Status => ({
  at: '2026-03-12T07:42:00.000Z',
  counts: Object.fromEntries(recordingStates.map((state) => [state, 0])) as Record<RecordingState, number>,
  standings: standingCounts({}),
  needAttention: 0,
  needs: { technician: 0, admin: 0, service: 0 },
  folders: [],
  problems: [],
  takesToCheck: { count: 0, held: 0, newest: [] },
  forecast: { kind: 'nothing' },
  driveSpace: [],
  drives: [],
  recent: [],
  report: aNight({}),
  update: {
    version: '1.0.0',
    mode: 'notify',
    channel: 'stable',
    checkedAt: null,
    offered: null,
    lastResult: null,
  },
  ...change,
  station: {
    name: 'capture-pc-07',
    state: 'idle',
    headline: 'All 42 recordings are safe',
    detail: 'Last one 3 min ago',
    pausedUntil: null,
    paused: false,
    problem: null,
    conditions: [],
    outsideWindowUntil: null,
    uploadNow: null,
    clockOffsetMs: 0,
    serviceReachable: true,
    testKey: false,
    ...change.station,
  },
  transfer: {
    bytesPerSecond: null,
    bytesLeft: 0,
    uploads: [],
    waiting: 0,
    processing: 0,
    ...change.transfer,
  },
})

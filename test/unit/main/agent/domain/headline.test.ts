import { expect, test } from 'vitest'
import { headlineOf, type Situation } from '../../../../../main/agent/domain/headline.ts'
import { problemOf } from '../../../../../main/agent/domain/problems.ts'
import type { KnownForecast } from '../../../../../shared/status/forecast.ts'
import type { DriveSpace } from '../../../../../shared/status/free-space.ts'
import { type Standing, standings } from '../../../../../shared/status/standing.ts'

const noRecordings = Object.fromEntries(standings.map((standing) => [standing, 0])) as Record<
  Standing,
  number
>
const noNeeds = { technician: 0, admin: 0, service: 0 }
const nowMs = new Date(2026, 10, 14, 9).getTime()

type Change = Partial<Omit<Situation, 'standings' | 'needs'>> & {
  readonly standings?: Partial<Situation['standings']>
  readonly needs?: Partial<Situation['needs']>
}

const isoAt = (hour: number, minute: number) => new Date(2026, 10, 14, hour, minute).toISOString()

const doneAt = (hour: number, minute: number): KnownForecast => ({
  kind: 'known',
  bytes: 71_000_000_000,
  bytesPerSecond: 8_400_000,
  startsAt: null,
  doneAt: isoAt(hour, minute),
  earliest: isoAt(hour - 1, minute),
  latest: isoAt(hour + 1, minute),
  deadline: null,
  bytesShort: 0,
  atRisk: null,
  more: null,
})

const fullAt = (hour: number, minute: number): DriveSpace => ({
  name: 'D:\\',
  folders: [],
  space: null,
  answering: true,
  safeBytes: null,
  fills: { kind: 'tonight', at: isoAt(hour, minute) },
  low: true,
})

const missingFolders = (...paths: readonly string[]): Situation['folders'] =>
  paths.map((path) => ({ path, problems: [{ problem: problemOf('folder-offline') }] }))

const situation = (change: Change): Situation => ({
  configured: true,
  conditions: [],
  pausedUntil: null,
  paused: false,
  pausedSince: null,
  finishing: 0,
  windowOpensAt: null,
  uploadNow: null,
  folders: [],
  silentFolders: [],
  takesToCheck: 0,
  driveSpace: [],
  forecast: { kind: 'nothing' },
  lastProcessedAtMs: null,
  nowMs,
  ...change,
  standings: { ...noRecordings, ...change.standings },
  needs: { ...noNeeds, ...change.needs },
})

test.each<[string, string, Change]>([
  ['Sluice is not set up yet', '', { configured: false }],
  ['Ready for the first recording', '', {}],
  [
    'All 42 recordings are safe',
    'Last one 3 min ago',
    { standings: { safe: 42 }, lastProcessedAtMs: nowMs - 180_000 },
  ],
  ['All 100,000 recordings are safe', '', { standings: { safe: 100_000 } }],
  ['The recording is safe', 'Processed just now', { standings: { safe: 1 }, lastProcessedAtMs: nowMs }],
  ['40 of 42 recordings are safe', '2 dismissed', { standings: { safe: 40, dismissed: 2 } }],
  ['0 of 42 recordings are safe', '42 at another service', { standings: { elsewhere: 42 } }],
  [
    'Uploading, done about 11:40',
    '30 of 42 safe · 3 uploading, 9 waiting',
    { standings: { safe: 30, uploading: 3, waiting: 9 }, forecast: doneAt(11, 40) },
  ],
  [
    'Uploading, not done by 18:00',
    '30 of 42 safe · 3 uploading, 9 waiting, 18.0 GB not done by 18:00',
    {
      standings: { safe: 30, uploading: 3, waiting: 9 },
      forecast: { ...doneAt(22, 30), deadline: isoAt(18, 0), bytesShort: 18_000_000_000 },
    },
  ],
  ['Uploading 1 recording', '0 of 1 safe · 1 uploading', { standings: { uploading: 1 } }],
  ['1 recording waits to upload', '0 of 1 safe · 1 waiting', { standings: { waiting: 1 } }],
  [
    '2 recordings processing at the service',
    '7 of 10 safe · 1 still recording · 2 being processed',
    { standings: { 'at-service': 2, safe: 7, recording: 1 } },
  ],
  ['Recording in progress', '0 of 1 safe · 1 still recording', { standings: { recording: 1 } }],
  ['Finishing 1 recording', '0 of 1 safe · 1 finishing', { standings: { recording: 1 }, finishing: 1 }],
  [
    'Recording in progress',
    '7 of 10 safe · 1 still recording · 2 finishing',
    { standings: { safe: 7, recording: 3 }, finishing: 2 },
  ],
  // Something needs attention.
  [
    'You and your administrator must act',
    '1 recording needs you · 1 recording needs your administrator · 28 of 42 safe · 3 uploading, 6 waiting, done about 11:40 · 3 being processed',
    {
      standings: { safe: 28, uploading: 3, waiting: 6, 'at-service': 3, 'needs-attention': 2 },
      needs: { technician: 1, admin: 1 },
      forecast: doneAt(11, 40),
    },
  ],
  [
    '2 recordings need your administrator',
    '40 of 42 safe',
    { standings: { safe: 40, 'needs-attention': 2 }, needs: { admin: 2 } },
  ],
  [
    'Folder hall-3 is missing, needs you',
    'Its files are not checked · 2 recordings need you · Service unreachable · Paused by you since yesterday 18:20 until you resume · 40 of 42 known recordings safe',
    {
      conditions: [problemOf('service-unreachable')],
      folders: missingFolders('/data/hall-3'),
      paused: true,
      pausedSince: new Date(2026, 10, 13, 18, 20).toISOString(),
      standings: { safe: 40, 'needs-attention': 2 },
      needs: { technician: 2 },
    },
  ],
  [
    '2 folders are missing, need you',
    'Their files are not checked',
    { folders: missingFolders('/data/hall-3', 'D:\\track') },
  ],
  [
    'Folder my recordings of… is missing, needs you',
    'Its files are not checked',
    { folders: missingFolders('/data/my recordings of the whole long week') },
  ],
  [
    'D:\\ will be full about 02:40, needs you',
    '42 of 42 safe',
    { driveSpace: [fullAt(2, 40)], standings: { safe: 42 } },
  ],
  [
    'Folder hall-3 is silent, needs you',
    '30 of 42 safe · 12 waiting, done about 11:40',
    { silentFolders: ['/data/hall-3'], standings: { safe: 30, waiting: 12 }, forecast: doneAt(11, 40) },
  ],
  [
    '1 recording is not as expected, needs you',
    '42 of 42 safe',
    { takesToCheck: 1, standings: { safe: 42 } },
  ],
  [
    '3 recordings are not as expected, need you',
    '42 of 42 safe',
    { takesToCheck: 3, standings: { safe: 42 } },
  ],
  [
    'You and your administrator must act',
    '1 recording needs you · Key refused, needs your administrator · 0 of 2 safe · 1 waiting',
    {
      conditions: [problemOf('key-refused')],
      standings: { waiting: 1, 'needs-attention': 1 },
      needs: { technician: 1 },
    },
  ],
  [
    'You and your administrator must act',
    '1 recording needs you · Clock wrong, needs your administrator · 0 of 1 safe',
    {
      conditions: [problemOf('clock-wrong')],
      standings: { 'needs-attention': 1 },
      needs: { technician: 1 },
    },
  ],
  // Conditions that clear by themselves.
  [
    'Service unreachable, Sluice keeps trying',
    'Nothing to do, recordings stay on this PC · 0 of 3 safe · 3 waiting',
    { conditions: [problemOf('service-unreachable')], standings: { waiting: 3 } },
  ],
  [
    'Waiting for the network, Sluice keeps trying',
    'Nothing to do, recordings stay on this PC · 0 of 3 safe · 3 waiting',
    { conditions: [problemOf('network-missing')], standings: { waiting: 3 } },
  ],
  // A user can connect the power or resume, so these texts never contain "Nothing to do".
  [
    'Paused on battery',
    '0 of 3 safe · 3 waiting',
    { conditions: [problemOf('on-battery')], standings: { waiting: 3 } },
  ],
  [
    'Service unreachable',
    'Paused by you since 08:05 until you resume · 0 of 3 safe · 3 waiting',
    {
      conditions: [problemOf('service-unreachable')],
      paused: true,
      pausedSince: isoAt(8, 5),
      standings: { waiting: 3 },
    },
  ],
  [
    'Paused by you, nothing uploads',
    'Until you resume · 0 of 3 safe · 3 waiting',
    { paused: true, standings: { waiting: 3 } },
  ],
  ['Paused by you, nothing uploads', 'Until 18:00', { paused: true, pausedUntil: isoAt(18, 0) }],
  [
    'Paused by you, nothing uploads',
    'Since 08:05, until you resume · 0 of 3 safe · 3 waiting',
    { paused: true, pausedSince: isoAt(8, 5), standings: { waiting: 3 } },
  ],
  [
    'Paused by you, nothing uploads',
    'Since yesterday 18:20, until 18:00',
    { paused: true, pausedUntil: isoAt(18, 0), pausedSince: new Date(2026, 10, 13, 18, 20).toISOString() },
  ],
  [
    'Upload hours start tomorrow 18:00',
    '0 of 3 safe · 3 waiting, done about 20:10',
    {
      standings: { waiting: 3 },
      windowOpensAt: new Date(2026, 10, 15, 18).toISOString(),
      forecast: doneAt(20, 10),
    },
  ],
  // A user uploads outside the upload hours.
  [
    'Uploading outside the upload hours until 18:00',
    '0 of 3 safe · 3 waiting',
    {
      standings: { waiting: 3 },
      windowOpensAt: isoAt(18, 0),
      uploadNow: { until: isoAt(18, 0), station: true, recordings: 0 },
    },
  ],
  [
    '1 recording uploads outside the upload hours',
    'Upload hours start today 18:00 · 0 of 3 safe · 3 waiting',
    {
      standings: { waiting: 3 },
      windowOpensAt: isoAt(18, 0),
      uploadNow: { until: isoAt(18, 0), station: false, recordings: 1 },
    },
  ],
  [
    'Paused by you, nothing uploads',
    'Until you resume · Upload hours ignored until 18:00 · 0 of 3 safe · 3 waiting',
    {
      paused: true,
      standings: { waiting: 3 },
      windowOpensAt: isoAt(18, 0),
      uploadNow: { until: isoAt(18, 0), station: true, recordings: 0 },
    },
  ],
  [
    'All 2 recordings are safe',
    'Upload hours ignored until 18:00',
    {
      standings: { safe: 2 },
      windowOpensAt: isoAt(18, 0),
      uploadNow: { until: isoAt(18, 0), station: true, recordings: 0 },
    },
  ],
])('the headline “%s” has the detail line “%s”', (headline, detail, change) => {
  expect(headlineOf(situation(change))).toEqual({ headline, detail })
})

test('a due restart is shown in the detail line, and never as the headline', () => {
  const conditions = [problemOf('restart-due', { detail: '1.1.0' })]
  const due = 'A restart is due: version 1.1.0 is installed'
  expect(headlineOf(situation({ conditions, standings: { safe: 2 } }))).toMatchObject({
    headline: headlineOf(situation({ standings: { safe: 2 } })).headline,
    detail: expect.stringContaining(due),
  })
  const paused = headlineOf(situation({ conditions, paused: true, standings: { waiting: 2 } }))
  expect(paused.headline).toContain('Paused')
  expect(paused.detail).toContain(due)
})

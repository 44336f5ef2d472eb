import { expect, test } from 'vitest'
import { headline, type Situation } from '../../../../../main/agent/domain/headline.ts'
import { problemOf } from '../../../../../main/agent/domain/problems.ts'
import type { KnownForecast } from '../../../../../shared/status/forecast.ts'
import { type Standing, standings } from '../../../../../shared/status/status.ts'

const none = Object.fromEntries(standings.map((standing) => [standing, 0])) as Record<Standing, number>
const nobody = { technician: 0, admin: 0, service: 0 }
const nowMs = new Date(2026, 10, 14, 9).getTime()

type Change = Partial<Omit<Situation, 'standings' | 'needs'>> & {
  readonly standings?: Partial<Situation['standings']>
  readonly needs?: Partial<Situation['needs']>
}

const at = (hour: number, minute: number) => new Date(2026, 10, 14, hour, minute).toISOString()

const doneAt = (hour: number, minute: number): KnownForecast => ({
  kind: 'known',
  bytes: 71_000_000_000,
  bytesPerSecond: 8_400_000,
  startsAt: null,
  doneAt: at(hour, minute),
  earliest: at(hour - 1, minute),
  latest: at(hour + 1, minute),
  deadline: null,
  bytesShort: 0,
  atRisk: null,
  more: null,
})

const situation = (change: Change): Situation => ({
  configured: true,
  stop: null,
  pausedUntil: null,
  paused: false,
  windowOpensAt: null,
  folderProblem: null,
  silence: null,
  room: null,
  forecast: { kind: 'nothing' },
  lastProcessedAtMs: null,
  nowMs,
  ...change,
  standings: { ...none, ...change.standings },
  needs: { ...nobody, ...change.needs },
})

test.each<[string, Change]>([
  [
    'D:\\ will be full about 02:40. All safe. 42 recordings.',
    { room: 'D:\\ will be full about 02:40.', standings: { safe: 42 } },
  ],
  [
    'D:\\ will be full about 02:40. 2 recordings need you. 40 of 42 safe.',
    {
      room: 'D:\\ will be full about 02:40.',
      standings: { safe: 40, 'needs-someone': 2 },
      needs: { technician: 2 },
    },
  ],
  // What passes by itself does not hide what waits for somebody; what does not pass comes first.
  [
    '/data/hall-3: The folder is missing. 2 recordings need you. The service cannot be reached.',
    {
      stop: problemOf('service-unreachable'),
      folderProblem: '/data/hall-3: The folder is missing.',
      standings: { safe: 40, 'needs-someone': 2 },
      needs: { technician: 2 },
    },
  ],
  ['Sluice is not set up yet.', { configured: false }],
  ['Ready. Waiting for the first recording.', {}],
  [
    'All safe. 42 recordings, last one 3 minutes ago.',
    { standings: { safe: 42 }, lastProcessedAtMs: nowMs - 180_000 },
  ],
  ['All safe. 100,000 recordings.', { standings: { safe: 100_000 } }],
  ['All safe. 1 recording.', { standings: { safe: 1 } }],
  ['40 of 42 safe, 2 dismissed.', { standings: { safe: 40, 'set-aside': 2 } }],
  ['0 of 42 safe, 42 at another service.', { standings: { elsewhere: 42 } }],
  [
    '3 recordings wait for upload hours from tomorrow 18:00.',
    { standings: { waiting: 3 }, windowOpensAt: new Date(2026, 10, 15, 18).toISOString() },
  ],
  [
    '2 recordings need your administrator. 40 of 42 safe.',
    { standings: { safe: 40, 'needs-someone': 2 }, needs: { admin: 2 } },
  ],
  [
    '1 needs you, 2 need support. 0 of 15 safe, 12 uploading, done about 11:40.',
    {
      standings: { uploading: 3, waiting: 9, 'needs-someone': 3 },
      needs: { technician: 1, service: 2 },
      forecast: doneAt(11, 40),
    },
  ],
  ['1 recording needs you. 0 of 1 safe.', { standings: { 'needs-someone': 1 }, needs: { technician: 1 } }],
  [
    '30 of 42 safe, 12 uploading, done about 11:40.',
    { standings: { safe: 30, uploading: 3, waiting: 9 }, forecast: doneAt(11, 40) },
  ],
  [
    '30 of 42 safe, 12 uploading, 18.0 GB not done by 18:00.',
    {
      standings: { safe: 30, uploading: 3, waiting: 9 },
      forecast: { ...doneAt(22, 30), deadline: at(18, 0), bytesShort: 18_000_000_000 },
    },
  ],
  [
    '3 recordings wait for upload hours from today 18:00, done about 20:10.',
    { standings: { waiting: 3 }, windowOpensAt: at(18, 0), forecast: doneAt(20, 10) },
  ],
  [
    '7 of 10 safe, 1 still recording, 2 uploading.',
    { standings: { 'at-service': 2, safe: 7, recording: 1 } },
  ],
  ['Paused until you resume. 3 recordings wait on this PC.', { paused: true, standings: { waiting: 3 } }],
  [
    'Hall 3 usually has 30 by now; none since 18:00. All safe. 42 recordings.',
    { standings: { safe: 42 }, silence: 'Hall 3 usually has 30 by now; none since 18:00.' },
  ],
  [
    'Hall 3 usually has 30 by now; none since 18:00. 30 of 42 safe, 12 uploading, done about 11:40.',
    {
      standings: { safe: 30, waiting: 12 },
      forecast: doneAt(11, 40),
      silence: 'Hall 3 usually has 30 by now; none since 18:00.',
    },
  ],
  [
    'The service rejects the API key: it is wrong or has been revoked. 1 recording waits on this PC.',
    { stop: problemOf('key-refused'), standings: { waiting: 1 } },
  ],
])('%s', (sentence, change) => {
  expect(headline(situation(change))).toBe(sentence)
})

import { expect, test } from 'vitest'
import { headline, type Situation } from '../../main/agent/domain/headline.ts'
import { problemOf } from '../../main/agent/domain/problems.ts'
import { type RecordingState, recordingStates } from '../../shared/status.ts'

const none = Object.fromEntries(recordingStates.map((state) => [state, 0])) as Record<RecordingState, number>
const nowMs = new Date(2026, 10, 14, 9).getTime()

type Change = Partial<Omit<Situation, 'counts'>> & {
  readonly counts?: Partial<Record<RecordingState, number>>
}

const situation = (change: Change): Situation => ({
  configured: true,
  stop: null,
  pausedUntil: null,
  paused: false,
  windowOpensAt: null,
  folderProblem: null,
  needPerson: 0,
  etaSeconds: null,
  lastProcessedAtMs: null,
  nowMs,
  ...change,
  counts: { ...none, ...change.counts },
})

test.each<[string, Change]>([
  ['Sluice is not set up yet.', { configured: false }],
  ['Ready. Waiting for the first recording.', {}],
  [
    'All 42 recordings are safe. Last one 3 minutes ago.',
    { counts: { processed: 42 }, lastProcessedAtMs: nowMs - 180_000 },
  ],
  ['All 100,000 recordings are safe.', { counts: { processed: 100_000 } }],
  [
    '3 recordings wait for the upload hours, from tomorrow 18:00 on.',
    { counts: { ready: 3 }, windowOpensAt: new Date(2026, 10, 15, 18).toISOString() },
  ],
  ['2 recordings need you.', { counts: { processed: 40, growing: 2 }, needPerson: 2 }],
  ['2 recordings need you. Uploading 3 of 12.', { counts: { uploading: 3, ready: 9 }, needPerson: 2 }],
  ['1 recording needs you.', { counts: { failed: 1 }, needPerson: 1 }],
  [
    'Uploading 3 of 12 recordings, about 14 minutes left.',
    { counts: { uploading: 3, ready: 9 }, etaSeconds: 14 * 60 },
  ],
  ['Preparing 5 recordings.', { counts: { queued: 4, hashing: 1 } }],
  ['Uploaded. The service is processing 2 recordings.', { counts: { processing: 2, processed: 7 } }],
  ['Paused until you resume. 3 recordings wait.', { paused: true, counts: { ready: 3 } }],
  [
    'The service refuses the API key: it is wrong or was revoked. 1 recording waits.',
    { stop: problemOf('key-refused'), counts: { queued: 1 } },
  ],
])('%s', (sentence, change) => {
  expect(headline(situation(change))).toBe(sentence)
})

test('never says safe while anything is not', () => {
  for (const state of recordingStates) {
    if (state === 'processed' || state === 'growing') continue
    const needPerson = ['failed', 'gone'].includes(state) ? 1 : 0
    expect(headline(situation({ counts: { processed: 9, [state]: 1 }, needPerson }))).not.toMatch(/safe/)
  }
})

import { expect, test } from 'vitest'
import { judgeExpectation } from '../../../../../main/agent/domain/expectation-check.ts'
import { takeExpectationSchema } from '../../../../../shared/settings/take-expectation.ts'
import type { InspectedChannel, Inspection } from '../../../../../shared/status/inspection.ts'

const take = (change: Partial<InspectedChannel> = {}, format: Inspection['format'] = 'mcap'): Inspection => ({
  format,
  completeness: 'complete',
  startedAtMs: 0,
  endedAtMs: 30_000,
  durationS: 30,
  channels: [
    { name: '/camera/wrist', type: null, messages: 900, rateHz: 30, largestGapS: 0.1, ...change },
    { name: '/imu', type: null, messages: 6_000, rateHz: 200, largestGapS: 0.01 },
  ],
  warnings: [],
})
const takes = (count: number, ...args: Parameters<typeof take>) =>
  Array.from({ length: count }, () => take(...args))

const judge = (
  expected: object | null,
  inspections: readonly Inspection[],
  on_deviation: 'off' | 'warn' = 'warn',
) =>
  judgeExpectation(
    expected === null ? { on_deviation } : { on_deviation, expect: takeExpectationSchema.parse(expected) },
    inspections,
  )
const wrist = (rest: object = {}) => ({ channels: [{ name: '/camera/wrist', ...rest }] })

test('without an expectation, the check passes only once the folder has five inspected recordings', () => {
  expect(judge(null, [...takes(4), take({}, 'other')])).toMatchObject({
    verdict: 'skip',
    sentence: 'Sluice compares recordings once 5 are inspected. So far: 4.',
  })
  expect(judge(null, takes(5)).verdict).toBe('pass')
})

test('an expectation passes if most recordings meet it, and the sentence counts those that deviate', () => {
  expect(judge(wrist({ min_rate_hz: 25, max_gap_seconds: 1 }), takes(8))).toMatchObject({
    verdict: 'pass',
    sentence: 'None of the last 8 recordings deviates.',
  })
  expect(judge(wrist(), [...takes(6), ...takes(2, { messages: 0 })]).sentence).toBe(
    '2 of the last 8 recordings deviate.',
  )
})

test.each([
  [
    'a channel that no recording has',
    { channels: [{ name: '/camera/wrst' }, { name: '/imu' }] },
    'The last 8 recordings have no channel /camera/wrst.',
  ],
  [
    'a gap that is shorter than the time between two messages',
    wrist({ min_rate_hz: 1, max_gap_seconds: 0.5 }),
    '/camera/wrist may have gaps of at most 0.5 s, but at its minimum rate of 1 Hz its messages are 1 s apart.',
  ],
  [
    'a format that no recording has',
    { format: 'mp4' },
    'None of the last 8 recordings has the format MP4, so Sluice checks none.',
  ],
  [
    'a value that no recording reaches',
    { min_seconds: 60 },
    'Each of the last 8 recordings deviates: The recording is 30 s shorter than expected.',
  ],
  [
    'pictures that Sluice cannot check',
    wrist({ not_constant: true }),
    'Sluice cannot check the pictures or the sound of /camera/wrist.',
  ],
])('warns about %s', (_, expected, sentence) => {
  expect(judge(expected, takes(8))).toMatchObject({
    verdict: 'warn',
    sentence,
    next: expect.stringMatching(/\w/),
  })
})

test('the sentence about a single recording contains no count', () => {
  expect(judge({ format: 'mp4' }, takes(1)).sentence).toBe(
    'The last recording does not have the format MP4, so Sluice does not check it.',
  )
})

test('warns if a folder has an expectation, but Sluice does not report its deviations', () => {
  expect(judge(wrist(), takes(8), 'off').verdict).toBe('warn')
  expect(judge(null, takes(8), 'off').verdict).toBe('skip')
})

test('does not judge an expectation before the first recording', () => {
  expect(judge(wrist(), []).verdict).toBe('skip')
})

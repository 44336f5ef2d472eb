import { describe, expect, test } from 'vitest'
import { findDeviations, matchesChannel } from '../../../../../main/agent/domain/find-deviations.ts'
import { takeExpectationSchema } from '../../../../../shared/settings/take-expectation.ts'
import type { Inspection } from '../../../../../shared/status/inspection.ts'
import { channel, inspectionOf } from '../../../../support/inspections.ts'

const take = (change: Partial<Inspection> = {}): Inspection =>
  inspectionOf({ channels: [channel('/camera/wrist'), channel('/camera/front')], ...change })

const deviationsOf = (inspection: Inspection, expected: object) =>
  findDeviations(inspection, takeExpectationSchema.parse(expected))

const wrist = { channels: [{ name: '/camera/wrist', min_rate_hz: 25, max_gap_seconds: 1 }] }

describe('a recording', () => {
  test('that is as expected has no deviations', () => {
    expect(deviationsOf(take(), { ...wrist, format: 'mcap', min_seconds: 30, max_seconds: 30 })).toEqual([])
  })

  test('without an expectation has no deviations', () => {
    expect(findDeviations(take({ completeness: 'cut-off', channels: [] }), undefined)).toEqual([])
  })

  test.each([
    [
      'has no messages',
      { messages: 0, rateHz: null, largestGapS: null },
      'has no messages, expected at least 25 Hz.',
    ],
    ['is slow', { rateHz: 12.34, messages: 370 }, 'has 12 Hz on average, expected at least 25 Hz.'],
    [
      'has one message',
      { messages: 1, rateHz: null, largestGapS: null },
      'has 0 Hz on average, expected at least 25 Hz.',
    ],
    ['has a gap', { largestGapS: 4.26 }, 'has a gap of 4.3 s, expected at most 1 s.'],
  ])('deviates if its channel %s', (_, change, sentence) => {
    const inspection = take({ channels: [channel('/camera/wrist', change)] })
    expect(deviationsOf(inspection, wrist)).toEqual([`/camera/wrist ${sentence}`])
  })

  test.each([
    ['black', ['/camera/wrist is black.']],
    ['constant', ['/camera/wrist has a constant picture.']],
    ['silent', ['/camera/wrist is silent.']],
    ['varies', []],
    [undefined, []],
  ] as const)(
    'with the signal %s deviates only if the expectation contains `not_constant`',
    (signal, sentences) => {
      const inspection = take({
        channels: [channel('/camera/wrist', signal === undefined ? {} : { signal })],
      })
      const [expected] = wrist.channels
      expect(deviationsOf(inspection, wrist)).toEqual([])
      expect(deviationsOf(inspection, { channels: [{ ...expected, not_constant: true }] })).toEqual(sentences)
    },
  )

  test('whose channel stops halfway deviates, because the average rate of that channel is halved', () => {
    const inspection = take({ channels: [channel('/camera/wrist', { messages: 450 })] })
    expect(deviationsOf(inspection, { channels: [{ name: '/camera/wrist', min_rate_hz: 25 }] })).toEqual([
      '/camera/wrist has 15 Hz on average, expected at least 25 Hz.',
    ])
  })

  test('deviates if a channel is missing, or if a channel that matches a pattern has no messages', () => {
    const inspection = take({
      channels: [channel('/camera/wrist'), channel('/camera/front', { messages: 0 })],
    })
    expect(deviationsOf(inspection, { channels: [{ name: '/camera/*' }, { name: '/imu' }] })).toEqual([
      '/camera/front has no messages.',
      '/imu is missing.',
    ])
  })

  test.each([
    [18, 'The recording is 12 s shorter than expected.'],
    [342, 'The recording is 5 min longer than expected.'],
  ])('of %d s deviates in its duration', (durationS, sentence) => {
    expect(deviationsOf(take({ durationS }), { min_seconds: 30, max_seconds: 42 })).toEqual([sentence])
  })

  test('that is cut off deviates', () => {
    expect(deviationsOf(take({ completeness: 'cut-off' }), wrist)).toEqual(['The file is cut off.'])
  })

  test('of a different or an unknown format is not checked', () => {
    const expected = { ...wrist, format: 'mcap' }
    expect(deviationsOf(take({ format: 'mp4', channels: [] }), expected)).toEqual([])
    expect(deviationsOf(take({ format: 'other', channels: [] }), wrist)).toEqual([])
  })

  test('that was inspected only partly may lack content without deviating', () => {
    const warnings = [{ code: 'took-too-long' as const, detail: 'The inspection took too long.' }]
    expect(
      deviationsOf(take({ channels: [], durationS: 1, warnings }), { ...wrist, min_seconds: 30 }),
    ).toEqual([])
  })

  test('with many deviations shows the first 20 and counts the rest', () => {
    const channels = Array.from({ length: 100 }, (_, n) => ({ name: `/c${n}` }))
    const sentences = deviationsOf(take({ channels: [] }), { channels })
    expect(sentences).toHaveLength(21)
    expect(sentences.at(-1)).toBe('80 more deviations.')
    expect(deviationsOf(take({ channels: [] }), { channels: channels.slice(0, 21) }).at(-1)).toBe(
      '1 more deviation.',
    )
  })
})

test.each([
  ['/camera/wrist', '/camera/wrist', true],
  ['/camera/wrist', '/camera/wrist/info', false],
  ['/camera/*', '/camera/wrist/info', true],
  ['*/image', '/camera/image', true],
  ['*/image', '/camera/images', false],
  ['/a*b*c', '/a-b-b-c', true],
  ['/a*a', '/a', false],
  ['*', 'anything', true],
  ['/a.b', '/axb', false],
])('the pattern %s matches the channel %s: %s', (pattern, name, matches) => {
  expect(matchesChannel(pattern, name)).toBe(matches)
})

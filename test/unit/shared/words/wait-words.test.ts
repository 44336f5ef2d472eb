import { expect, test } from 'vitest'
import { problemOf } from '../../../../main/agent/domain/problems.ts'
import type { Forecast } from '../../../../shared/status/forecast.ts'
import { doneTitle, forecastLine, stopWords } from '../../../../shared/words/forecast-words.ts'
import { waitWords } from '../../../../shared/words/wait-words.ts'

const nowMs = new Date(2026, 10, 14, 9).getTime()
const opensAt = new Date(2026, 10, 14, 18).toISOString()
const notWaiting = { problem: null, paused: false, outsideWindowUntil: null, uploadNow: null }

test('a waiting station shows its pause and its problem, or otherwise its upload hours', () => {
  expect(waitWords(notWaiting, nowMs)).toBeNull()
  expect(waitWords({ ...notWaiting, paused: true }, nowMs)).toBe('Paused by you')
  expect(waitWords({ ...notWaiting, paused: true, problem: problemOf('network-missing') }, nowMs)).toBe(
    'Paused by you · Waiting for the network',
  )
  expect(waitWords({ ...notWaiting, problem: problemOf('service-unreachable') }, nowMs)).toBe(
    'Service unreachable',
  )
  expect(waitWords({ ...notWaiting, outsideWindowUntil: opensAt }, nowMs)).toBe(
    'Upload hours start today 18:00',
  )
  const uploadNow = { until: opensAt, station: true, recordings: 0 }
  expect(waitWords({ ...notWaiting, outsideWindowUntil: opensAt, uploadNow }, nowMs)).toBeNull()
})

test.each<[Forecast, string | null, string, string]>([
  [{ kind: 'nothing' }, null, 'Nothing to upload', 'Nothing to upload.'],
  [
    { kind: 'unmeasured', bytes: 5e9 },
    null,
    'No estimate yet',
    'No estimate yet. 5.0 GB to upload. Forecast available after 20 s of uploading.',
  ],
  [
    { kind: 'held', bytes: 5e9, by: 'pause' },
    null,
    'Unknown',
    'Unknown. Paused. 5.0 GB to upload when uploads resume.',
  ],
  [{ kind: 'held', bytes: 5e9, by: 'hours' }, null, 'Unknown', 'Unknown. No upload hours. 5.0 GB to upload.'],
  [
    { kind: 'held', bytes: 5e9, by: 'problem' },
    stopWords({ paused: false, problem: problemOf('network-missing') }),
    'Unknown',
    'Unknown. Waiting for the network. 5.0 GB to upload.',
  ],
  [
    { kind: 'held', bytes: 5e9, by: 'problem' },
    stopWords({ paused: true, problem: problemOf('key-missing') }),
    'Unknown',
    'Unknown. Paused by you · Key missing. 5.0 GB to upload.',
  ],
])('without an estimate, shows the reason: %j', (forecast, stop, lead, line) => {
  expect(doneTitle(forecast, nowMs)).toBe(lead)
  expect(forecastLine(forecast, nowMs, stop)).toBe(line)
})

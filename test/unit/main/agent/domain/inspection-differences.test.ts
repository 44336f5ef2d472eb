import { expect, test } from 'vitest'
import { inspectionDifferences } from '../../../../../main/agent/domain/inspection-differences.ts'
import type { Inspection } from '../../../../../shared/status/inspection.ts'
import type { SessionSummary } from '../../../../../shared/status/status.ts'

const channel = (name: string) => ({ name, type: null, messages: 1, rateHz: null, largestGapS: null })
const localInspection = (durationS: number | null, ...names: string[]): Inspection => ({
  format: 'mcap',
  completeness: 'complete',
  startedAtMs: null,
  endedAtMs: null,
  durationS,
  channels: names.map(channel),
  warnings: [],
})
const sessionSummary = (durationS: number | null, ...channels: string[]): SessionSummary => ({
  id: 'ses_1',
  status: 'processed',
  site: null,
  device: null,
  filename: null,
  bytes: null,
  recordedAt: null,
  durationS,
  channels,
  segmentCount: 1,
  issues: [],
  createdAt: null,
  processedAt: null,
})

test('a channel name that the service only spells differently is no difference', () => {
  expect(
    inspectionDifferences(
      localInspection(10, '/imu/Data', '/camera_front'),
      sessionSummary(10.4, 'camera.front', 'imu.data'),
    ),
  ).toEqual([])
})

test('a shorter duration at the service is a difference', () => {
  expect(inspectionDifferences(localInspection(10), sessionSummary(5))).toEqual([
    'The service reports 5 s, but the file holds 10 s.',
  ])
  expect(inspectionDifferences(localInspection(3_720), sessionSummary(3_600))).toEqual([
    'The service reports 1 h, but the file holds 1 h 2 min.',
  ])
  expect(inspectionDifferences(localInspection(3_740), sessionSummary(3_700))).toEqual([
    'The service reports 3,700 s, but the file holds 3,740 s.',
  ])
})

test('the duration of a file that this PC has not read to its end is no difference', () => {
  const partial: Inspection = {
    ...localInspection(5),
    warnings: [{ code: 'took-too-long', detail: 'The inspection took too long.' }],
  }
  expect(inspectionDifferences(partial, sessionSummary(10))).toEqual([])
})

test('names a channel that the service did not find', () => {
  expect(
    inspectionDifferences(localInspection(1, '/imu', '/camera/wrist'), sessionSummary(1, 'imu')),
  ).toEqual(['The service did not find /camera/wrist.'])
})

test('if the service uses its own channel names, only the number of channels counts', () => {
  expect(inspectionDifferences(localInspection(1, '/a', '/b'), sessionSummary(1, 'left', 'right'))).toEqual(
    [],
  )
  expect(inspectionDifferences(localInspection(1, '/a', '/b'), sessionSummary(1, 'left'))).toEqual([
    'The service found 1 channel, but the file holds 2.',
  ])
})

test('reports no difference until both this PC and the service have inspected the file', () => {
  expect(inspectionDifferences(null, sessionSummary(1))).toEqual([])
  expect(inspectionDifferences(localInspection(1), null)).toEqual([])
  expect(inspectionDifferences(localInspection(1), { ...sessionSummary(5), status: 'processing' })).toEqual(
    [],
  )
})

test('an issue that the service reports about the content is a difference, unless this PC also found an issue', () => {
  const truncated = {
    code: 'file_truncated',
    severity: 'error',
    detail: 'The MCAP file is incomplete.',
  } as const
  const dark = { code: 'dark_frames', severity: 'warning', channel: 'camera' } as const
  const clock = { code: 'clock_offset_estimated', severity: 'warning', detail: 'Ahead.' } as const
  const good = localInspection(1, '/camera')
  const session = { ...sessionSummary(1, 'camera'), issues: [truncated, dark, clock] }
  const sentences = [
    'The service reports: The MCAP file is incomplete. This PC found no such issue.',
    'The service reports: dark_frames. This PC found no such issue.',
  ]
  expect(inspectionDifferences(good, session)).toEqual(sentences)
  expect(inspectionDifferences(good, { ...session, status: 'failed' })).toEqual(sentences)
  expect(inspectionDifferences(good, { ...session, status: 'processing' })).toEqual([])
  expect(inspectionDifferences({ ...good, completeness: 'cut-off' }, session)).toEqual([])
  const warnings = [{ code: 'damaged', detail: 'A chunk is damaged.' }] as const
  expect(inspectionDifferences({ ...good, warnings }, session)).toEqual([])
})

test('a cut-off file that the service accepts without an issue is a difference', () => {
  expect(
    inspectionDifferences(
      { ...localInspection(1, '/camera'), completeness: 'cut-off' },
      sessionSummary(1, 'camera'),
    ),
  ).toEqual(['The file is cut off, but the service reports no issue.'])
})

import { describe, expect, test } from 'vitest'
import { mayRequest, partGate, type StationFacts } from '../../../../../main/agent/domain/part-gate.ts'
import { conditionNames, conditionOf } from '../../../../../shared/status/conditions.ts'

const ready: StationFacts = {
  isConfigured: true,
  isPaused: false,
  isInUploadHours: true,
  uploadNow: [],
  isKeyTrusted: true,
  conditions: [],
}
const open = { kind: 'open', only: null }

test('a station without conditions may send requests and start parts', () => {
  expect(mayRequest(ready)).toBe(true)
  expect(partGate(ready)).toEqual(open)
})

test.each([
  ['no-settings', { isConfigured: false }],
  ['pause', { isPaused: true }],
  ['upload-hours', { isInUploadHours: false }],
] as const)('%s closes the gate for every part and stops parts in flight', (by, facts) => {
  for (const part of [{}, { hasUrl: true }, { isProbe: true }])
    expect(partGate({ ...ready, ...facts }, part)).toEqual({ kind: 'closed', by, partsInFlight: 'stop' })
})

describe('outside the upload hours', () => {
  const outsideHours = { ...ready, isInUploadHours: false }

  test('a user can let the whole station or single recordings upload', () => {
    expect(partGate({ ...outsideHours, uploadNow: 'station' })).toEqual(open)
    const single = { ...outsideHours, uploadNow: [7, 9] }
    expect(partGate(single)).toEqual({ kind: 'open', only: [7, 9] })
    expect(partGate(single, { recordingId: 9 }).kind).toBe('open')
    expect(partGate(single, { recordingId: 8 })).toEqual({
      kind: 'closed',
      by: 'upload-hours',
      partsInFlight: 'stop',
    })
  })

  test.each([
    ['pause', { isPaused: true }],
    ['power', { conditions: ['power'] }],
    ['disk', { conditions: ['disk'] }],
    ['key', { conditions: ['key'] }],
    ['untrusted-key', { isKeyTrusted: false }],
  ] as const)('“Upload now” overrides only the upload hours: %s still closes the gate', (by, facts) => {
    for (const uploadNow of ['station', [7]] as const)
      expect(partGate({ ...outsideHours, uploadNow, ...facts }, { recordingId: 7 })).toMatchObject({
        kind: 'closed',
        by,
      })
  })
})

test('neither a pause nor the upload hours stop requests: Sluice still polls the sessions at the service', () => {
  expect(mayRequest({ ...ready, isPaused: true, isInUploadHours: false })).toBe(true)
})

test('while the key is untrusted, Sluice sends no requests, and only parts with known URLs', () => {
  const untrusted = { ...ready, isKeyTrusted: false }
  expect(mayRequest(untrusted)).toBe(false)
  expect(partGate(untrusted)).toMatchObject({ kind: 'closed', by: 'untrusted-key' })
  expect(partGate(untrusted, { hasUrl: true }).kind).toBe('open')
})

describe.each(conditionNames)('the condition %s', (name) => {
  // The entry of this condition in the table `conditions` of `shared/status/conditions.ts`.
  const { stops, probe, partsInFlight } = conditionOf(name)
  const facts = { ...ready, conditions: [name] }
  const closedGate = { kind: 'closed', by: name, partsInFlight }

  test('stops requests if its table entry lists them', () => {
    expect(mayRequest(facts)).toBe(!stops.includes('requests'))
  })

  test('stops a new upload if its table entry stops anything', () => {
    expect(partGate(facts)).toEqual(stops.length > 0 ? closedGate : open)
  })

  test('stops a part with a known URL only if its table entry lists parts', () => {
    expect(partGate(facts, { hasUrl: true })).toEqual(stops.includes('parts') ? closedGate : open)
  })

  test('lets a part start as its probe, if its table entry probes with parts', () => {
    const isOpen = probe === 'part' || stops.length === 0
    expect(partGate(facts, { isProbe: true })).toEqual(isOpen ? open : closedGate)
  })
})

import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Failure, isTrouble, originOf } from '../../../main/agent/domain/failure.ts'
import { decide } from '../../../main/agent/domain/retry-policy.ts'
import { type PolicyRow, policyRows } from '../../../scripts/docs/failure-examples.ts'
import type { RecordingState } from '../../../shared/status/status.ts'
import type { FileCall } from '../../support/model/files.ts'
import type { ServiceCall } from '../../support/model/service.ts'
import { FOLDER, ModelStation } from '../../support/model/station.ts'

const FILE = `${FOLDER}/take.bin`
const SIZE = 30_000_000

let model: ModelStation
beforeEach(() => {
  model = new ModelStation()
  model.drive.write(FILE, 'a night', SIZE)
})
afterEach(() => model.closeAndExpectNoBugs())

/** The calls at which this failure can occur, each with the state of the recording at that call. */
const placesOf = (
  failure: Failure,
): readonly { readonly at: ServiceCall | FileCall; readonly state: RecordingState }[] => {
  switch (originOf(failure)) {
    case 'control':
      return [
        { at: 'create', state: 'ready' },
        { at: 'complete', state: 'completing' },
        { at: 'retrieve', state: 'processing' },
      ]
    case 'storage':
      return [{ at: 'part', state: 'uploading' }]
    case 'file':
      return [
        { at: 'inspect', state: 'growing' },
        { at: 'hash', state: 'queued' },
        { at: 'open', state: 'uploading' },
      ]
    case 'journal':
    case 'none':
      return []
  }
}

/** Fails every call of this kind until `fix`. Returns a function for the number of failures so far. */
const fail = (at: ServiceCall | FileCall, failure: Failure): (() => number) => {
  let count = 0
  model.service.fate = (call) => {
    if (call !== at) return { kind: 'answered' }
    count += 1
    return { kind: 'refused', failure }
  }
  model.drive.fate = (call) => {
    if (call !== at) return null
    count += 1
    return failure
  }
  return () => count
}

const fix = () => {
  model.service.fate = () => ({ kind: 'answered' })
  model.drive.fate = () => null
}

/** Failures that another test covers, or that none of these calls causes. */
const COVERED_ELSEWHERE: readonly Failure['kind'][] = [
  'drive-away',
  'file-empty',
  'file-unfinished',
  'file-too-large',
  'marker-outdated',
  'marker-missing',
  'take-deviates',
  'checksum-mismatch',
  'parts-impossible',
  'other-organisation',
  'list-refused',
  'session-mismatch',
  'list-endless',
  'listed-session-denied',
  'search-failed',
  'session-reopened',
]

const rows = policyRows.flatMap((row) =>
  COVERED_ELSEWHERE.includes(row.failure.kind)
    ? []
    : placesOf(row.failure)
        // Between two completions, a successful read of the session resets the count of failures.
        .filter(({ at }) => at !== 'complete' || row.streak === undefined)
        .map((place) => [`${row.description}, at ${place.at}`, row, place] as const),
)

describe('every row of the retry policy, at each call where its failure can occur', () => {
  test.each(rows)('%s', async (_, row: PolicyRow, { at, state }) => {
    const { failure, streak = 1 } = row
    const failureCount = fail(at, failure)
    await model.until(() => failureCount() >= streak || model.firstRecording().state === 'processed')
    expect(failureCount()).toBeGreaterThanOrEqual(1)
    const decision = decide(
      failure,
      { attempt: 1, streak: isTrouble(failure) ? streak : 0, isSessionLost: false },
      () => 0,
    )
    const recording = model.firstRecording()
    switch (decision.kind) {
      case 'wait':
        expect(recording.state).toBe(state)
        expect(recording.attempts).toBeGreaterThan(0)
        expect(recording.nextAttemptAtMs).toBeGreaterThan(model.nowMs - 1)
        if (!decision.quiet)
          expect(recording.problem).toMatchObject({ code: decision.code, endsBy: decision.endsBy })
        break
      case 'condition':
        expect(model.station.code(decision.condition)).toBe(decision.code)
        expect(recording.state).toBe(state)
        break
      case 'file-changed':
      case 'file-vanished':
      case 'drive-away':
      case 'refresh-urls':
      case 'session-lost':
      case 'ignore':
      case 'end-process':
        break
    }

    fix()
    expect(
      await model.until(() => model.firstRecording().state === 'processed'),
      JSON.stringify(model.firstRecording()),
    ).toBe(true)
    expect(model.recordings()).toHaveLength(1)
    expect(model.service.completeSessions()).toHaveLength(1)
    expect(model.service.deletions.filter(({ wasComplete }) => wasComplete)).toEqual([])
    expect(model.firstRecording()).toMatchObject({ problem: null, heldSinceMs: null })
  })
})

test('uses a corrected site as soon as the settings have it', async () => {
  const sites: string[] = []
  const refusal = policyRows.find(({ description }) => description.includes('`site`'))?.failure
  if (refusal === undefined) throw new Error('no such row')
  fail('create', refusal)
  await model.until(() => model.firstRecording().problem !== null)
  expect(model.firstRecording()).toMatchObject({
    state: 'ready',
    problem: { code: 'site-refused', param: 'site' },
  })
  fix()
  const [folder] = model.settings.folders
  model.settings = { ...model.settings, folders: [{ ...folder!, site: 'corrected' }] }
  model.journal.recordings.retryHeld(['settings'])
  expect(await model.until(() => model.firstRecording().state === 'processed', 40)).toBe(true)
  sites.push(...model.service.completeSessions().map(({ request }) => request.site))
  expect(sites).toEqual(['corrected'])
})

test('a recording continues soon after a short lock on its file ends', async () => {
  for (const at of ['identify', 'inspect', 'hash', 'open', 'read'] as const) {
    model.close()
    model = new ModelStation()
    model.drive.write(FILE, `locked at ${at}`, SIZE)
    const failureCount = fail(at, { kind: 'file-busy', detail: 'another program holds it open (EBUSY)' })
    await model.until(() => failureCount() >= 5)
    expect(model.firstRecording().problem).toMatchObject({ code: 'file-busy', endsBy: 'time' })
    fix()
    expect(await model.until(() => model.firstRecording().state === 'processed', 60)).toBe(true)
  }
})

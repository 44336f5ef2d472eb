import { afterEach, expect, test } from 'vitest'
import { done, type Failure } from '../../../main/agent/domain/failure.ts'
import type { ServiceCall } from '../../support/model/service.ts'
import { FOLDER, ModelStation } from '../../support/model/station.ts'

const SIZE = 30_000_000
const MAX_REQUESTS = 20

let model: ModelStation
afterEach(() => model.close())

const writeRecordings = (count: number) => {
  for (let n = 0; n < count; n += 1) model.drive.write(`${FOLDER}/take-${n}.bin`, `night ${n}`, SIZE)
}

const states = () => model.recordings().map(({ state }) => state)

/** Runs the station for this many simulated seconds, four rounds per second. Returns the requests of that time. */
const collectCalls = async (seconds: number): Promise<ServiceCall[]> => {
  const callsBefore = model.service.calls.length
  for (let n = 0; n < seconds * 4; n += 1) {
    await model.round()
    await model.pass(250)
  }
  return model.service.calls.slice(callsBefore)
}

const failAt = (failingCalls: readonly ServiceCall[], failure: Failure) => {
  model.service.fate = (call) =>
    failingCalls.includes(call) ? { kind: 'refused', failure } : { kind: 'answered' }
}

const storageBusy: Failure = {
  kind: 'rate-limited',
  origin: 'storage',
  retryAfterMs: null,
  message: '',
  requestId: null,
}

test('while the storage answers every part with “slow down”, Sluice sends at most 20 requests in 42 s, however many recordings wait', async () => {
  model = new ModelStation()
  writeRecordings(20)
  failAt(['part'], storageBusy)
  const calls = await collectCalls(42)
  const parts = calls.filter((call) => call === 'part').length
  const createdCount = calls.filter((call) => call === 'create').length
  expect({ parts, createdCount, few: calls.length <= MAX_REQUESTS }).toMatchObject({ few: true })
})

test('does not retry a part at once after a station-wide failure', async () => {
  model = new ModelStation()
  writeRecordings(1)
  failAt(['part'], { kind: 'network', origin: 'control', connected: false, detail: 'simulated' })
  // The station sends at most one part and one probe per step.
  expect((await collectCalls(10)).length).toBeLessThanOrEqual(2 * 10 * 4)
})

test('while the storage answers every part with “slow down”, Sluice opens only a few sessions', async () => {
  model = new ModelStation()
  writeRecordings(20)
  failAt(['part'], storageBusy)
  await collectCalls(300)
  expect(model.service.sessions.size).toBeLessThanOrEqual(2 * model.settings.transfer.parallel_recordings)
})

test('the storage condition lasts as long as the outage, even while the failed recording waits', async () => {
  // These random values make the station's probe due before the retry of the only recording.
  let n = 0
  const randomValues = [0.9, 0.1]
  model = new ModelStation({ random: () => randomValues[n++ % randomValues.length]! })
  writeRecordings(1)
  failAt(['part'], {
    kind: 'foreign-answer',
    origin: 'storage',
    detail: 'HTTP 200 with an HTML page',
    requestId: null,
  })
  while (model.station.code('storage') === null) {
    await model.round()
    await model.pass(250)
  }
  let withoutCondition = 0
  for (let step = 0; step < 480; step += 1) {
    await model.round()
    if (model.station.code('storage') === null) withoutCondition += 1
    await model.pass(250)
  }
  expect({ secondsWithoutCondition: withoutCondition / 4 }).toEqual({ secondsWithoutCondition: 0 })
})

const maintenance: Failure = {
  kind: 'service',
  origin: 'control',
  status: 503,
  retryAfterMs: 600_000,
  message: 'maintenance',
  requestId: 'req_1',
}

test('the whole station obeys Retry-After of a 503, not each recording by itself', async () => {
  model = new ModelStation()
  writeRecordings(40)
  failAt(['create', 'retrieve', 'list', 'complete'], maintenance)
  const calls = await collectCalls(60)
  expect(calls.length).toBeLessThanOrEqual(MAX_REQUESTS)
})

test('if the service answers the search for sessions with 5xx, the recordings of a site share the retries', async () => {
  model = new ModelStation()
  writeRecordings(40)
  failAt(['list'], { ...maintenance, status: 500, retryAfterMs: null })
  const calls = await collectCalls(60)
  expect(calls.filter((call) => call === 'list').length).toBeLessThanOrEqual(MAX_REQUESTS)
})

test('after a 5xx, Sluice retries the completion with the same key and does not read the session first', async () => {
  model = new ModelStation()
  writeRecordings(1)
  let refusals = 2
  model.service.fate = (call) =>
    call === 'complete' && refusals-- > 0
      ? { kind: 'refused', failure: { ...maintenance, status: 500, retryAfterMs: null } }
      : { kind: 'answered' }
  expect(await model.until(() => states()[0] === 'processed', 60)).toBe(true)
  const first = model.service.calls.indexOf('complete')
  expect(model.service.calls.slice(first, model.service.calls.lastIndexOf('complete'))).not.toContain(
    'retrieve',
  )
})

test('the station obeys the Retry-After of a 503 to its probe', async () => {
  model = new ModelStation()
  writeRecordings(1)
  failAt(['create', 'retrieve', 'list', 'complete'], {
    kind: 'network',
    origin: 'control',
    connected: false,
    detail: 'refused',
  })
  await collectCalls(3)
  expect(model.station.code('control')).toBe('service-unreachable')
  failAt(['create', 'retrieve', 'list', 'complete'], maintenance)
  const calls = await collectCalls(300)
  expect(calls.length).toBeLessThanOrEqual(MAX_REQUESTS)
})

test('waits as long as the service has requested before it probes the key', async () => {
  model = new ModelStation()
  writeRecordings(1)
  failAt(['list', 'create'], { ...storageBusy, origin: 'control', retryAfterMs: 600_000 })
  await collectCalls(3)
  expect(model.station.code('control')).toBe('rate-limited')
  model.station.raise('key', 'key-refused')
  model.service.fate = () => ({ kind: 'answered' })
  expect(await collectCalls(300)).toEqual([])
  expect(model.station.code('control')).toBe('rate-limited')
  expect(await model.until(() => states()[0] === 'processed', 600)).toBe(true)
})

test('reports a new key that cannot be verified, and does not probe every second', async () => {
  model = new ModelStation()
  writeRecordings(1)
  await model.until(() => states()[0] === 'processed', 60)
  model.station.setKey('another key', 'https://service.invalid')
  failAt(['list'], { kind: 'unreadable-answer', detail: 'has_more: required', requestId: 'req_1' })
  writeRecordings(2)
  const calls = await collectCalls(120)
  expect({ reported: model.station.problems.length > 0, few: calls.length <= MAX_REQUESTS }).toEqual({
    reported: true,
    few: true,
  })
})

test('backs off if the service answers 404 to the retry of an unanswered creation', async () => {
  model = new ModelStation()
  writeRecordings(1)
  await model.until(() => states()[0] === 'processed', 60)
  const [recording] = model.recordings()
  model.journal.givenUp.addSessionOf(
    {
      ...recording!,
      sessionId: null,
      completeKey: null,
      createKey: 'key-lost',
      createBody: '{}',
      createKeyAtMs: model.nowMs,
    },
    'the content of the file has changed',
  )
  failAt(['create'], { kind: 'not-found', message: 'no', requestId: 'req_1' })
  const calls = await collectCalls(300)
  expect(calls.filter((call) => call === 'create').length).toBeLessThanOrEqual(MAX_REQUESTS)
})

test('if the list shows no session of this station, Sluice sends at most as many list requests as polls of single sessions', async () => {
  model = new ModelStation({
    wrapClient: (client) => ({
      ...client,
      listSessions: async (...args) => {
        const answer = await client.listSessions(...args)
        // An empty page with a cursor simulates a page that has only sessions of other stations.
        return answer.ok
          ? done({ ...answer.value, value: { sessions: [], nextCursor: `page-${Math.random()}` } })
          : answer
      },
    }),
  })
  await model.round()
  writeRecordings(40)
  model.hint()
  // The service never finishes processing, so all sessions stay in `processing`.
  await model.until(() => {
    for (const session of model.service.sessions.values()) session.completedAtMs = Number.POSITIVE_INFINITY
    return states().length === 40 && states().every((state) => state === 'processing')
  }, 100)
  await model.pass(60_000)
  const callsBefore = model.service.calls.length
  for (let step = 0; step < 12; step += 1) await model.round()
  const calls = model.service.calls.slice(callsBefore)
  const lists = calls.filter((call) => call === 'list').length
  const singles = calls.filter((call) => call === 'retrieve').length
  expect({ lists, singles, fewer: lists <= singles }).toMatchObject({ fewer: true })
})

test('Sluice backs off if the service answers all creations with 404', async () => {
  model = new ModelStation()
  writeRecordings(4)
  failAt(['create'], { kind: 'not-found', message: 'no such way', requestId: 'req_1' })
  await collectCalls(20)
  let changes = 0
  let previousCode = model.station.code('control')
  const callsBefore = model.service.calls.length
  for (let step = 0; step < 400; step += 1) {
    await model.round()
    const code = model.station.code('control')
    if (code !== previousCode) changes += 1
    previousCode = code
    await model.pass(250)
  }
  expect({ changes, few: model.service.calls.length - callsBefore <= 2 * MAX_REQUESTS }).toMatchObject({
    few: true,
  })
})

test('one 403 does not stop other recordings if a probe shows that the key works', async () => {
  model = new ModelStation({
    wrapClient: (client) => ({
      ...client,
      completeSession: async (id, ...rest) =>
        id === 'ses_1'
          ? {
              ok: false,
              failure: { kind: 'auth', reason: 'not-permitted', message: 'no', requestId: 'req_1' },
            }
          : client.completeSession(id, ...rest),
    }),
  })
  writeRecordings(20)
  let stoppedSteps = 0
  for (let step = 0; step < 2400; step += 1) {
    await model.round()
    if (!model.station.mayRequest()) stoppedSteps += 1
    await model.pass(250)
  }
  const processedCount = states().filter((state) => state === 'processed').length
  expect({ processedCount, stoppedShare: Math.round((stoppedSteps / 2400) * 100) }).toMatchObject({
    processedCount: 19,
  })
})

test('a file that cannot be read for two hours does not fill the journal', async () => {
  model = new ModelStation()
  writeRecordings(1)
  model.drive.fate = (call) =>
    call === 'hash' ? { kind: 'file-busy', detail: 'the disk reported a read error (EIO)' } : null
  let reads = 0
  const { fate } = model.drive
  model.drive.fate = (call, path) => {
    if (call === 'hash') reads += 1
    return fate(call, path)
  }
  for (let step = 0; step < 480; step += 1) {
    await model.round()
    await model.pass(15_000)
  }
  const [recording] = model.recordings()
  const lines = model.journal.views.timeline(recording!.id).length
  expect({ lines, reads, few: lines < 100 }).toMatchObject({ few: true })
})

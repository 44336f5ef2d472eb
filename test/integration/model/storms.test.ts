import { afterEach, expect, test } from 'vitest'
import { done, type Failure } from '../../../main/agent/domain/failure.ts'
import type { Asked } from '../../support/model/service.ts'
import { FOLDER, ModelStation } from '../../support/model/station.ts'

const SIZE = 30_000_000
const MOST_IN_40_S = 20

let model: ModelStation
afterEach(() => model.close())

const write = (count: number) => {
  for (let n = 0; n < count; n += 1) model.drive.write(`${FOLDER}/take-${n}.bin`, `night ${n}`, SIZE)
}

const states = () => model.recordings().map(({ state }) => state)

/** What is asked in so many seconds, a look of every stage four times in each. */
const askedIn = async (seconds: number): Promise<Asked[]> => {
  const before = model.service.asked.length
  for (let n = 0; n < seconds * 4; n += 1) {
    await model.round()
    await model.pass(250)
  }
  return model.service.asked.slice(before)
}

const failAt = (at: readonly Asked[], failure: Failure) => {
  model.service.fate = (asked) => (at.includes(asked) ? { kind: 'refused', failure } : { kind: 'answered' })
}

const busy: Failure = {
  kind: 'rate-limited',
  origin: 'storage',
  retryAfterMs: null,
  message: '',
  requestId: null,
}

test('a storage that answers 503 to everything costs at most 20 requests in 40 s, however much is waiting', async () => {
  model = new ModelStation()
  write(20)
  failAt(['part'], busy)
  const asked = await askedIn(42)
  const parts = asked.filter((what) => what === 'part').length
  const created = asked.filter((what) => what === 'create').length
  expect({ parts, created, few: asked.length <= MOST_IN_40_S }).toMatchObject({ few: true })
})

test('trouble that a part meets and that keeps nothing from sending is not met again in the same moment', async () => {
  model = new ModelStation()
  write(1)
  failAt(['part'], { kind: 'network', origin: 'control', connected: false, detail: 'played' })
  // A part and a probe for each look, and not one more.
  expect((await askedIn(10)).length).toBeLessThanOrEqual(2 * 10 * 4)
})

test('no more sessions are opened ahead than uploads can use while the storage takes nothing', async () => {
  model = new ModelStation()
  write(20)
  failAt(['part'], busy)
  await askedIn(300)
  expect(model.service.sessions.size).toBeLessThanOrEqual(2 * model.settings.transfer.parallel_recordings)
})

test('the storage’s condition lasts as long as its outage, also while the one that met it waits', async () => {
  // Any dice: the station's next look comes before the next attempt of the only one that has parts to send.
  let n = 0
  const dice = [0.9, 0.1]
  model = new ModelStation({ random: () => dice[n++ % dice.length]! })
  write(1)
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
  let untold = 0
  for (let step = 0; step < 480; step += 1) {
    await model.round()
    if (model.station.code('storage') === null) untold += 1
    await model.pass(250)
  }
  expect({ untoldSeconds: untold / 4 }).toEqual({ untoldSeconds: 0 })
})

const maintenance: Failure = {
  kind: 'service',
  origin: 'control',
  status: 503,
  retryAfterMs: 600_000,
  message: 'maintenance',
  requestId: 'req_1',
}

test('a 503 with Retry-After is heeded by the station, not once by every recording', async () => {
  model = new ModelStation()
  write(40)
  failAt(['create', 'retrieve', 'list', 'complete'], maintenance)
  const asked = await askedIn(60)
  expect(asked.length).toBeLessThanOrEqual(MOST_IN_40_S)
})

test('a completion that the service itself refused with 5xx is sent again with its key, without a look before it', async () => {
  model = new ModelStation()
  write(1)
  let refusals = 2
  model.service.fate = (asked) =>
    asked === 'complete' && refusals-- > 0
      ? { kind: 'refused', failure: { ...maintenance, status: 500, retryAfterMs: null } }
      : { kind: 'answered' }
  expect(await model.until(() => states()[0] === 'processed', 60)).toBe(true)
  const first = model.service.asked.indexOf('complete')
  expect(model.service.asked.slice(first, model.service.asked.lastIndexOf('complete'))).not.toContain(
    'retrieve',
  )
})

test('a probe that is answered 503 with Retry-After waits longer and longer, as any other', async () => {
  model = new ModelStation()
  write(1)
  failAt(['create', 'retrieve', 'list', 'complete'], {
    kind: 'network',
    origin: 'control',
    connected: false,
    detail: 'refused',
  })
  await askedIn(3)
  expect(model.station.code('control')).toBe('service-unreachable')
  failAt(['create', 'retrieve', 'list', 'complete'], maintenance)
  const asked = await askedIn(300)
  expect(asked.length).toBeLessThanOrEqual(MOST_IN_40_S)
})

test('a new key whose trial comes to nothing is told, and not tried every second', async () => {
  model = new ModelStation()
  write(1)
  await model.until(() => states()[0] === 'processed', 60)
  model.station.connected('another key', 'https://service.invalid')
  failAt(['list'], { kind: 'unreadable-answer', detail: 'has_more: required', requestId: 'req_1' })
  write(2)
  const asked = await askedIn(120)
  expect({ told: model.station.problems.length > 0, few: asked.length <= MOST_IN_40_S }).toEqual({
    told: true,
    few: true,
  })
})

test('a lost creation that the service does not know is not asked for every second', async () => {
  model = new ModelStation()
  write(1)
  await model.until(() => states()[0] === 'processed', 60)
  const [recording] = model.recordings()
  model.journal.givenUp.ofRecording(
    {
      ...recording!,
      sessionId: null,
      completeKey: null,
      createKey: 'key-lost',
      createBody: '{}',
      createKeyAtMs: model.nowMs,
    },
    'the file has other content now',
  )
  failAt(['create'], { kind: 'not-found', message: 'no', requestId: 'req_1' })
  const asked = await askedIn(300)
  expect(asked.filter((what) => what === 'create').length).toBeLessThanOrEqual(MOST_IN_40_S)
})

test('a site’s list is not read again for each recording that it does not show', async () => {
  model = new ModelStation({
    around: (client) => ({
      ...client,
      listSessions: async (...args) => {
        const listed = await client.listSessions(...args)
        // The site is shared: others' sessions fill the page.
        return listed.ok
          ? done({ ...listed.value, value: { sessions: [], nextCursor: `page-${Math.random()}` } })
          : listed
      },
    }),
  })
  write(40)
  // The service takes its time with them.
  await model.until(() => {
    for (const session of model.service.sessions.values()) session.completedAtMs = Number.POSITIVE_INFINITY
    return states().length === 40 && states().every((state) => state === 'processing')
  }, 100)
  await model.pass(60_000)
  const before = model.service.asked.length
  for (let step = 0; step < 12; step += 1) await model.round()
  const asked = model.service.asked.slice(before)
  const lists = asked.filter((what) => what === 'list').length
  const singles = asked.filter((what) => what === 'retrieve').length
  expect({ lists, singles, fewer: lists <= singles }).toMatchObject({ fewer: true })
})

test('creations that are answered 404 do not raise and clear the same condition every second', async () => {
  model = new ModelStation()
  write(4)
  failAt(['create'], { kind: 'not-found', message: 'no such way', requestId: 'req_1' })
  await askedIn(20)
  let turns = 0
  let last = model.station.code('control')
  const before = model.service.asked.length
  for (let step = 0; step < 400; step += 1) {
    await model.round()
    const now = model.station.code('control')
    if (now !== last) turns += 1
    last = now
    await model.pass(250)
  }
  expect({ turns, few: model.service.asked.length - before <= 2 * MOST_IN_40_S }).toMatchObject({ few: true })
})

test('one 403 that the key’s own trial contradicts does not stop everybody else', async () => {
  model = new ModelStation({
    around: (client) => ({
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
  write(20)
  let stopped = 0
  for (let step = 0; step < 2400; step += 1) {
    await model.round()
    if (!model.station.mayRequest()) stopped += 1
    await model.pass(250)
  }
  const processed = states().filter((state) => state === 'processed').length
  expect({ processed, stoppedShare: Math.round((stopped / 2400) * 100) }).toMatchObject({ processed: 19 })
})

test('a file that cannot be read for two hours does not fill the journal', async () => {
  model = new ModelStation()
  write(1)
  model.drive.fate = (touched) =>
    touched === 'hash' ? { kind: 'file-busy', detail: 'the disk reported a read error (EIO)' } : null
  let reads = 0
  const { fate } = model.drive
  model.drive.fate = (touched, path) => {
    if (touched === 'hash') reads += 1
    return fate(touched, path)
  }
  for (let step = 0; step < 480; step += 1) {
    await model.round()
    await model.pass(15_000)
  }
  const [recording] = model.recordings()
  const lines = model.journal.views.timeline(recording!.id).length
  expect({ lines, reads, few: lines < 100 }).toMatchObject({ few: true })
})

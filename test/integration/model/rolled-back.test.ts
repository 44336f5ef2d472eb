import { afterEach, expect, test } from 'vitest'
import { retry } from '../../../main/agent/calls/commands.ts'
import type { Failure } from '../../../main/agent/domain/failure.ts'
import type { SessionFilter } from '../../../main/agent/ports/service.ts'
import { outage } from '../../support/model/failures.ts'
import { FOLDER, ModelStation } from '../../support/model/station.ts'

/** An older copy replaces the data folder: a snapshot of a virtual machine, a disk image or a restored backup. */

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const SIZE = 30_000_000

const storageOutage: Failure = { ...outage, origin: 'storage' } as Failure

const listed: SessionFilter[] = []
let model: ModelStation
afterEach(() => model.closeAndExpectNoBugs())

const createModel = () => {
  listed.length = 0
  model = new ModelStation({
    wrapClient: (client) => ({
      ...client,
      listSessions: (filter, signal) => {
        // Ignores the follower’s lists. Only they have a `createdBefore`.
        if (filter.createdBefore === undefined) listed.push(filter)
        return client.listSessions(filter, signal)
      },
    }),
  })
}

const record = (...names: string[]) => {
  for (const name of names) model.drive.write(`${FOLDER}/${name}`, `content of ${name}`, SIZE)
  model.hint()
}

/** Watches the folder for a while. Afterwards, Sluice usually creates the session of a new file without a search. */
const watchFolder = async () => {
  createModel()
  record('first.bin')
  expect(await model.until(() => model.areAllProcessed(1))).toBe(true)
  await model.pass(HOUR_MS)
}

const sessionOf = (name: string) => model.journal.recordings.currentByPath(`${FOLDER}/${name}`)?.sessionId

const countOwnSessions = () =>
  [...model.service.sessions.keys()].filter((id) => !id.startsWith('ses_older')).length

const refuseList = (failure: Failure) => {
  model.service.fate = (call) => (call === 'list' ? { kind: 'refused', failure } : { kind: 'answered' })
}

test('after a rollback, Sluice uploads nothing twice, and reads the session list once, starting before the oldest unknown file', async () => {
  await watchFolder()
  const restore = model.copyJournal()
  const oldestMtimeMs = model.nowMs
  record('b.bin')
  expect(await model.until(() => model.areAllProcessed(2))).toBe(true)
  await model.pass(3 * DAY_MS)
  record('c.bin', 'd.bin')
  expect(await model.until(() => model.areAllProcessed(4))).toBe(true)
  const sessions = ['b.bin', 'c.bin', 'd.bin'].map(sessionOf)
  model.service.addOlderSessions(20_000)
  await model.pass(HOUR_MS)
  listed.length = 0
  restore()
  expect(await model.until(() => model.areAllProcessed(4))).toBe(true)
  expect(['b.bin', 'c.bin', 'd.bin'].map(sessionOf)).toEqual(sessions)
  expect(countOwnSessions()).toBe(4)
  const starts = new Set(
    listed.filter(({ cursor }) => cursor === undefined).map(({ createdFrom }) => createdFrom),
  )
  expect(starts.size).toBe(1)
  const fromMs = Date.parse([...starts][0] ?? '')
  expect(fromMs).toBeLessThan(oldestMtimeMs)
  expect(fromMs).toBeGreaterThan(oldestMtimeMs - 2 * DAY_MS)
})

test('a file that was still growing in the rolled-back journal is not uploaded twice', async () => {
  await watchFolder()
  record('b.bin')
  expect(await model.until(() => model.recordings().length === 2)).toBe(true)
  const restore = model.copyJournal()
  await model.pass(60_000)
  model.drive.write(`${FOLDER}/b.bin`, 'all of b', SIZE + 1)
  model.hint()
  expect(await model.until(() => model.areAllProcessed(2))).toBe(true)
  const session = sessionOf('b.bin')
  await model.pass(HOUR_MS)
  restore()
  expect(await model.until(() => model.areAllProcessed(2))).toBe(true)
  expect(sessionOf('b.bin')).toBe(session)
})

test('a file that was uploading in the rolled-back journal, and was replaced since, is not uploaded twice', async () => {
  await watchFolder()
  model.service.fate = (call) =>
    call === 'part' ? { kind: 'refused', failure: storageOutage } : { kind: 'answered' }
  record('b.bin')
  expect(await model.until(() => model.recordings().some(({ state }) => state === 'uploading'))).toBe(true)
  const restore = model.copyJournal()
  model.drive.write(`${FOLDER}/b.bin`, 'new content of b', SIZE + 1)
  model.hint()
  model.service.fate = () => ({ kind: 'answered' })
  expect(await model.until(() => model.areAllProcessed(2))).toBe(true)
  const completeSessions = model.service.completeSessions().length
  await model.pass(HOUR_MS)
  restore()
  expect(await model.until(() => model.areAllProcessed(2))).toBe(true)
  expect(model.service.completeSessions().length).toBe(completeSessions)
})

test.each(['growing', 'ready'] as const)(
  'a file that was %s in the rolled-back journal, and has not changed since, is not uploaded twice',
  async (state) => {
    await watchFolder()
    record('b.bin')
    const waiting = () => model.journal.recordings.currentByPath(`${FOLDER}/b.bin`)
    model.journal.station.pause(null)
    expect(await model.until(() => waiting()?.state === state)).toBe(true)
    const restore = model.copyJournal()
    model.journal.station.resume()
    expect(await model.until(() => model.areAllProcessed(2))).toBe(true)
    const session = sessionOf('b.bin')
    await model.pass(HOUR_MS)
    restore()
    expect(waiting()?.state).toBe(state)
    model.journal.station.resume()
    expect(await model.until(() => model.areAllProcessed(2))).toBe(true)
    expect(sessionOf('b.bin')).toBe(session)
    expect(countOwnSessions()).toBe(2)
  },
)

test('a file that was gone in the rolled-back journal, and came back since, is not uploaded twice', async () => {
  await watchFolder()
  model.journal.station.pause(null)
  record('b.bin')
  expect(await model.until(() => model.recordings().some(({ state }) => state === 'ready'))).toBe(true)
  model.drive.remove(`${FOLDER}/b.bin`)
  model.hint()
  expect(await model.until(() => model.recordings().some(({ state }) => state === 'gone'))).toBe(true)
  const restore = model.copyJournal()
  model.journal.station.resume()
  record('b.bin')
  expect(await model.until(() => model.areAllProcessed(2))).toBe(true)
  await model.pass(HOUR_MS)
  restore()
  model.journal.station.resume()
  expect(await model.until(() => model.areAllProcessed(2))).toBe(true)
  expect(countOwnSessions()).toBe(2)
})

test('a failed recording that a user retried before the rollback is not uploaded a third time', async () => {
  await watchFolder()
  record('b.bin')
  const state = () => model.journal.recordings.currentByPath(`${FOLDER}/b.bin`)?.state
  expect(await model.until(() => state() === 'processing')).toBe(true)
  Object.assign(model.service.sessions.get(sessionOf('b.bin') ?? '')!, { status: 'failed' })
  expect(await model.until(() => state() === 'failed')).toBe(true)
  model.journal.station.pause(null)
  retry(model.journal, model.recordingAt(`${FOLDER}/b.bin`))
  const restore = model.copyJournal()
  model.journal.station.resume()
  expect(await model.until(() => model.areAllProcessed(2))).toBe(true)
  const session = sessionOf('b.bin')
  await model.pass(HOUR_MS)
  restore()
  model.journal.station.resume()
  expect(await model.until(() => model.areAllProcessed(2))).toBe(true)
  expect(sessionOf('b.bin')).toBe(session)
  expect(countOwnSessions()).toBe(3)
})

test('a file that is copied and then deleted during the search for its session is not uploaded twice', async () => {
  await watchFolder()
  const restore = model.copyJournal()
  record('b.bin')
  expect(await model.until(() => model.areAllProcessed(2))).toBe(true)
  await model.pass(HOUR_MS)
  refuseList({
    ...outage,
    kind: 'service',
    status: 500,
    retryAfterMs: null,
    message: '',
    requestId: null,
  } as Failure)
  restore()
  await model.until(() => model.recordings().some(({ problem }) => problem !== null))
  model.drive.write(`${FOLDER}/c.bin`, 'content of b.bin', SIZE)
  model.drive.remove(`${FOLDER}/b.bin`)
  model.hint()
  for (let n = 0; n < 60; n += 1) {
    await model.round()
    await model.pass(1_000)
  }
  model.service.fate = () => ({ kind: 'answered' })
  await model.until(() => model.journal.recordings.currentByPath(`${FOLDER}/c.bin`)?.state === 'processed')
  expect(countOwnSessions()).toBe(2)
})

test('a start that finds no unknown files reads no session list', async () => {
  await watchFolder()
  listed.length = 0
  model.restart()
  await model.until(() => false, 20)
  expect(listed).toEqual([])
})

const unusable: Failure[] = [
  { kind: 'list-refused', message: 'no listing', requestId: null },
  { kind: 'list-endless', detail: 'a page was repeated', requestId: null },
  { kind: 'unreadable-answer', detail: 'no list', requestId: null },
  { kind: 'service', origin: 'control', status: 500, retryAfterMs: null, message: 'down', requestId: null },
]

test.each(unusable)(
  'a file written while the agent was off is uploaded once although the list fails: $kind',
  async (failure) => {
    await watchFolder()
    record('off.bin')
    await model.pass(HOUR_MS)
    refuseList(failure)
    model.restart()
    expect(await model.until(() => model.areAllProcessed(2))).toBe(true)
    expect(countOwnSessions()).toBe(2)
  },
)

test('if the network is down after a rollback, an unknown file waits until Sluice can search for its session', async () => {
  await watchFolder()
  const restore = model.copyJournal()
  record('b.bin')
  expect(await model.until(() => model.areAllProcessed(2))).toBe(true)
  await model.pass(HOUR_MS)
  model.service.fate = () => ({ kind: 'refused', failure: outage })
  restore()
  await model.until(() => false, 60)
  model.service.fate = () => ({ kind: 'answered' })
  expect(await model.until(() => model.areAllProcessed(2))).toBe(true)
  expect(countOwnSessions()).toBe(2)
})

const serverError: Failure = {
  kind: 'service',
  origin: 'control',
  status: 503,
  retryAfterMs: null,
  message: 'busy',
  requestId: null,
}
const notFound: Failure = { kind: 'not-found', message: 'no such session', requestId: null }

test.each([
  ['an error of the list', 'list', serverError],
  [
    'an unreadable page of the list',
    'list',
    { kind: 'unreadable-answer', detail: 'no list', requestId: null },
  ],
  ['an error of the listed session', 'retrieve', serverError],
  ['a denial of the listed session', 'retrieve', notFound],
] as [string, string, Failure][])(
  'after a rollback, %s that lasts for some seconds causes no second upload',
  async (_, failingCall, failure) => {
    await watchFolder()
    const restore = model.copyJournal()
    record('b.bin', 'c.bin')
    expect(await model.until(() => model.areAllProcessed(3))).toBe(true)
    await model.pass(HOUR_MS)
    restore()
    const fromMs = model.nowMs
    model.service.fate = (call) =>
      call === failingCall && model.nowMs - fromMs < 10_000
        ? { kind: 'refused', failure }
        : { kind: 'answered' }
    expect(await model.until(() => model.areAllProcessed(3))).toBe(true)
    expect(countOwnSessions()).toBe(3)
  },
)

/** Writes a file to a drive whose clock is ahead, such as a share, or a card with local times. */
const recordAhead = (name: string, aheadMs: number) => {
  record(name)
  const file = model.drive.at(`${FOLDER}/${name}`)
  if (file === undefined) throw new Error(`no ${name}`)
  const stampNs = String(BigInt(file.identity.mtimeNs) + BigInt(aheadMs) * 1_000_000n)
  model.drive.put(`${FOLDER}/${name}`, {
    ...file,
    identity: { ...file.identity, mtimeNs: stampNs, ctimeNs: stampNs },
  })
}

test.each([HOUR_MS, 12 * HOUR_MS])(
  'after a rollback, a file whose mtime was %i ms in the future is not uploaded twice',
  async (aheadMs) => {
    await watchFolder()
    const restore = model.copyJournal()
    recordAhead('ahead.bin', aheadMs)
    expect(await model.until(() => model.areAllProcessed(2))).toBe(true)
    const session = sessionOf('ahead.bin')
    await model.pass(aheadMs / 2)
    restore()
    expect(await model.until(() => model.areAllProcessed(2))).toBe(true)
    expect(sessionOf('ahead.bin')).toBe(session)
    expect(countOwnSessions()).toBe(2)
  },
)

test.each(unusable)(
  'a file whose mtime is in the future is uploaded although the list fails: $kind',
  async (failure) => {
    await watchFolder()
    refuseList(failure)
    recordAhead('ahead.bin', HOUR_MS)
    expect(await model.until(() => model.areAllProcessed(2))).toBe(true)
    expect(countOwnSessions()).toBe(2)
  },
)

test('on a drive whose clock is always ahead, no search reads the whole list', async () => {
  await watchFolder()
  model.service.addOlderSessions(2_000)
  model.restart()
  listed.length = 0
  for (const [index, name] of ['a.bin', 'b.bin', 'c.bin'].entries()) {
    recordAhead(name, HOUR_MS)
    expect(await model.until(() => model.areAllProcessed(2 + index))).toBe(true)
    await model.pass(2 * HOUR_MS)
  }
  expect(listed.length).toBeGreaterThan(0)
  expect(listed.every(({ createdFrom }) => createdFrom !== undefined)).toBe(true)
  expect(countOwnSessions()).toBe(4)
})

test('a file that grows before and after a restart of the agent is uploaded although the list is refused', async () => {
  await watchFolder()
  record('growing.bin')
  await model.pass(60_000)
  refuseList({ kind: 'list-refused', message: 'no listing', requestId: null })
  model.restart()
  expect(await model.until(() => model.recordings().length === 2)).toBe(true)
  await model.pass(60_000)
  model.drive.write(`${FOLDER}/growing.bin`, 'all of it', SIZE + 1)
  model.hint()
  expect(await model.until(() => model.areAllProcessed(2))).toBe(true)
})

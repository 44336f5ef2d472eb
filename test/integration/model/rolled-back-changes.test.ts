import { afterEach, expect, test } from 'vitest'
import type { Failure } from '../../../main/agent/domain/failure.ts'
import type { SessionFilter } from '../../../main/agent/ports/service.ts'
import { outage } from '../../support/model/failures.ts'
import { FOLDER, ModelStation } from '../../support/model/station.ts'

/**
 * A file changes during its upload. Later, a copy of the data folder from before or after the change replaces the data
 * folder.
 */

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const SIZE = 30_000_000
const storageOutage: Failure = { ...outage, origin: 'storage' } as Failure

let model: ModelStation
let listed: SessionFilter[]
afterEach(() => model.closeAndExpectNoBugs())

const take = () => model.journal.recordings.currentByPath(`${FOLDER}/take.bin`)
const write = (name: string, content: string, size = SIZE) => {
  model.drive.write(`${FOLDER}/${name}`, content, size)
  model.hint()
}
const statuses = () => [...model.service.sessions.values()].map(({ status }) => status)
const completeContents = () => model.service.completeSessions().map(({ request }) => request.sha256)

/** Watches the folder for a while. Afterwards, Sluice usually creates the session of a new file without a search. */
const watchFolder = async () => {
  listed = []
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
  write('first.bin', 'first')
  expect(await model.until(() => model.areAllProcessed(1))).toBe(true)
  await model.pass(HOUR_MS)
}

const startUpload = async () => {
  await watchFolder()
  model.service.fate = (call) =>
    call === 'part' ? { kind: 'refused', failure: storageOutage } : { kind: 'answered' }
  write('take.bin', 'old content')
  expect(await model.until(() => take()?.state === 'uploading')).toBe(true)
  await model.pass(1000)
}

const answerEverything = () => {
  model.service.fate = () => ({ kind: 'answered' })
}

test('after a rollback, a file that Sluice was hashing again is not uploaded twice', async () => {
  await startUpload()
  const { hash } = model.drive.hashing
  Object.assign(model.drive.hashing, { hash: () => new Promise(() => {}) })
  write('take.bin', 'new content')
  expect(await model.until(() => take()?.state === 'hashing')).toBe(true)
  const restore = model.copyJournal()
  Object.assign(model.drive.hashing, { hash })
  answerEverything()
  model.restart()
  expect(await model.until(() => model.areAllProcessed(2))).toBe(true)
  const before = completeContents()
  await model.pass(HOUR_MS)
  restore()
  expect(await model.until(() => model.areAllProcessed(2))).toBe(true)
  expect(completeContents()).toEqual(before)
})

test('after a rollback, a replaced file is not uploaded twice, even if its old upload continues first', async () => {
  await startUpload()
  const restore = model.copyJournal()
  write('take.bin', 'new content')
  answerEverything()
  expect(await model.until(() => model.areAllProcessed(2))).toBe(true)
  const before = completeContents()
  await model.pass(HOUR_MS)
  const { scan } = model.drive.folderAccess
  let letScan = () => {}
  const mayScan = new Promise<void>((resolve) => {
    letScan = resolve
  })
  Object.assign(model.drive.folderAccess, {
    scan: async (...args: Parameters<typeof scan>) => {
      await mayScan
      return scan(...args)
    },
  })
  restore()
  for (let rounds = 0; rounds < 3; rounds += 1) {
    await model.round()
    await model.pass(1000)
  }
  letScan()
  expect(await model.until(() => model.areAllProcessed(2))).toBe(true)
  expect(completeContents()).toEqual(before)
})

test('after a rollback, new content whose session has failed waits for a person', async () => {
  await startUpload()
  const restore = model.copyJournal()
  write('take.bin', 'new content')
  answerEverything()
  expect(await model.until(() => take()?.state === 'processing')).toBe(true)
  Object.assign(model.service.sessions.get(take()?.sessionId ?? '') ?? {}, { status: 'failed' })
  expect(await model.until(() => take()?.state === 'failed')).toBe(true)
  const before = statuses()
  await model.pass(HOUR_MS)
  restore()
  expect(await model.until(() => ['processed', 'failed'].includes(take()?.state ?? ''))).toBe(true)
  expect(statuses()).toEqual(before)
})

test('an old file that waits for a person does not make the search read older sessions', async () => {
  await watchFolder()
  write('empty.bin', '', 0)
  const isShown = () => model.recordings().some(({ problem }) => problem?.code === 'empty-file')
  expect(await model.until(isShown)).toBe(true)
  await model.pass(300 * DAY_MS)
  model.journal.station.pause(null)
  write('take.bin', 'content')
  expect(await model.until(() => take()?.state === 'ready')).toBe(true)
  const { nowMs } = model
  listed = []
  model.restart()
  model.journal.station.resume()
  expect(await model.until(() => take()?.state === 'processed')).toBe(true)
  expect(listed.length).toBeGreaterThan(0)
  for (const { createdFrom } of listed)
    expect(Date.parse(createdFrom ?? '')).toBeGreaterThan(nowMs - 2 * DAY_MS)
})

test('a file that was touched between the start and the first scan is not uploaded twice', async () => {
  await watchFolder()
  const restore = model.copyJournal()
  write('take.bin', 'content')
  expect(await model.until(() => model.areAllProcessed(2))).toBe(true)
  await model.pass(HOUR_MS)
  const { scan } = model.drive.folderAccess
  Object.assign(model.drive.folderAccess, { scan: async () => ({ kind: 'offline' }) })
  restore()
  for (let rounds = 0; rounds < 3; rounds += 1) {
    await model.round()
    await model.pass(1000)
  }
  // The same content with a new mtime.
  write('take.bin', 'content')
  await model.pass(1000)
  Object.assign(model.drive.folderAccess, { scan })
  model.hint()
  expect(await model.until(() => model.areAllProcessed(2))).toBe(true)
  expect(completeContents()).toHaveLength(2)
})

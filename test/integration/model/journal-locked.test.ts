import path from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, expect, test } from 'vitest'
import type { ServiceClient } from '../../../main/agent/ports/service.ts'
import { FOLDER, ModelStation } from '../../support/model/station.ts'

/** Several times as long as the agent waits for the lock. */
const LOCKED_MS = 600

let model: ModelStation
let otherConnection: Database.Database | null = null
afterEach(() => {
  otherConnection?.close()
  otherConnection = null
  model.close()
  expect(model.bugs).toEqual([])
})

/** Holds the journal's lock as a backup program does. Resolves when the lock is released. */
const holdJournal = (): Promise<void> => {
  const db = new Database(path.join(path.dirname(model.walFile), 'journal.db'))
  otherConnection = db
  db.exec('BEGIN IMMEDIATE')
  return new Promise((resolve) =>
    setTimeout(() => {
      db.exec('ROLLBACK')
      resolve()
    }, LOCKED_MS),
  )
}

/** Flushes pending writes, then waits until the recording is processed. */
const waitUntilProcessed = async () => {
  await model.journal.commit(() => {})
  return model.until(() => model.recordings()[0]?.state === 'processed', 60)
}

/** Locks the journal after the first answer to this call. */
const lockJournalAt = (name: 'createSession' | 'sendPart' | 'completeSession') => {
  let released: Promise<void> | null = null
  const wrapClient = (client: ServiceClient): ServiceClient => ({
    ...client,
    [name]: async (...args: never[]) => {
      const answer = await (client[name] as (...args: never[]) => Promise<unknown>)(...args)
      released ??= holdJournal()
      return answer
    },
  })
  return { wrapClient, releaseOf: () => released }
}

for (const [name, serviceCall] of [
  ['createSession', 'create'],
  ['sendPart', 'part'],
  ['completeSession', 'complete'],
] as const)
  test(`keeps the answer to ${name} while the journal is locked, without a second request`, async () => {
    const lock = lockJournalAt(name)
    model = new ModelStation({ wrapClient: lock.wrapClient })
    model.drive.write(`${FOLDER}/take.bin`, 'a night', 30_000_000)
    expect(await model.until(() => lock.releaseOf() !== null, 60)).toBe(true)
    await lock.releaseOf()
    expect(await waitUntilProcessed()).toBe(true)
    expect(model.service.countCalls(serviceCall)).toBe(1)
  })

test('an answer clears a station condition even while the journal is locked', async () => {
  const lock = lockJournalAt('sendPart')
  model = new ModelStation({ wrapClient: lock.wrapClient })
  model.drive.write(`${FOLDER}/take.bin`, 'a night', 30_000_000)
  expect(await model.until(() => model.recordings()[0]?.state === 'uploading', 20)).toBe(true)
  model.station.raise('storage', 'storage-unreachable')
  await model.pass(120_000)
  expect(await model.until(() => lock.releaseOf() !== null, 20)).toBe(true)
  await lock.releaseOf()
  expect(await waitUntilProcessed()).toBe(true)
  expect(model.service.countCalls('part')).toBe(1)
  model.station.retryWriting()
  expect(model.journal.station.conditions()).toEqual([])
})

test('hashes a file only once, even if the journal is locked meanwhile', async () => {
  model = new ModelStation()
  let released: Promise<void> | null = null
  let reads = 0
  model.drive.fate = (call) => {
    if (call === 'hash') {
      reads += 1
      released ??= holdJournal()
    }
    return null
  }
  model.drive.write(`${FOLDER}/take.bin`, 'a night', 30_000_000)
  expect(await model.until(() => released !== null, 60)).toBe(true)
  await released
  expect(await waitUntilProcessed()).toBe(true)
  expect(reads).toBe(1)
})

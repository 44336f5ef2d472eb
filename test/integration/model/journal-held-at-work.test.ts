import path from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, expect, test } from 'vitest'
import type { ServiceClient } from '../../../main/agent/ports/service.ts'
import { FOLDER, ModelStation } from '../../support/model/station.ts'

/** Several times as long as the agent blocks for the lock. */
const HELD_MS = 600

let model: ModelStation
let other: Database.Database | null = null
afterEach(() => {
  other?.close()
  other = null
  model.close()
  expect(model.bugs).toEqual([])
})

/** Holds the journal's lock like a backup program. Resolves when the lock is released. */
const holdJournal = (): Promise<void> => {
  const held = new Database(path.join(path.dirname(model.walFile), 'journal.db'))
  other = held
  held.exec('BEGIN IMMEDIATE')
  return new Promise((resolve) =>
    setTimeout(() => {
      held.exec('ROLLBACK')
      resolve()
    }, HELD_MS),
  )
}

/** Flushes pending writes, then waits until the recording is processed. */
const processed = async () => {
  await model.journal.commit(() => {})
  return model.until(() => model.recordings()[0]?.state === 'processed', 60)
}

/** Locks the journal when this call is first answered. */
const heldAt = (name: 'createSession' | 'sendPart' | 'completeSession') => {
  let over: Promise<void> | null = null
  const around = (client: ServiceClient): ServiceClient => ({
    ...client,
    [name]: async (...args: never[]) => {
      const answer = await (client[name] as (...args: never[]) => Promise<unknown>)(...args)
      over ??= holdJournal()
      return answer
    },
  })
  return { around, isOver: () => over }
}

const countCalls = (what: string) => model.service.calls.filter((one) => one === what).length

for (const [name, what] of [
  ['createSession', 'create'],
  ['sendPart', 'part'],
  ['completeSession', 'complete'],
] as const)
  test(`keeps the answer to ${name} while the journal is locked, without a second request`, async () => {
    const held = heldAt(name)
    model = new ModelStation({ around: held.around })
    model.drive.write(`${FOLDER}/take.bin`, 'a night', 30_000_000)
    expect(await model.until(() => held.isOver() !== null, 60)).toBe(true)
    await held.isOver()
    expect(await processed()).toBe(true)
    expect(countCalls(what)).toBe(1)
  })

test('an answer clears a station condition even while the journal is locked', async () => {
  const held = heldAt('sendPart')
  model = new ModelStation({ around: held.around })
  model.drive.write(`${FOLDER}/take.bin`, 'a night', 30_000_000)
  expect(await model.until(() => model.recordings()[0]?.state === 'uploading', 20)).toBe(true)
  model.station.raise('storage', 'storage-unreachable')
  await model.pass(120_000)
  expect(await model.until(() => held.isOver() !== null, 20)).toBe(true)
  await held.isOver()
  expect(await processed()).toBe(true)
  expect(countCalls('part')).toBe(1)
  model.station.retryWriting()
  expect(model.journal.station.conditions()).toEqual([])
})

test('does not hash a file again because the journal was locked', async () => {
  model = new ModelStation()
  let over: Promise<void> | null = null
  let reads = 0
  model.drive.fate = (call) => {
    if (call === 'hash') {
      reads += 1
      over ??= holdJournal()
    }
    return null
  }
  model.drive.write(`${FOLDER}/take.bin`, 'a night', 30_000_000)
  expect(await model.until(() => over !== null, 60)).toBe(true)
  await over
  expect(await processed()).toBe(true)
  expect(reads).toBe(1)
})

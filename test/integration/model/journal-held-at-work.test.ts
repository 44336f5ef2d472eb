import path from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, expect, test } from 'vitest'
import type { ServiceClient } from '../../../main/agent/ports/service.ts'
import { FOLDER, ModelStation } from '../../support/model/station.ts'

/** Longer than the agent waits in one go. */
const HELD_MS = 3_000

let model: ModelStation
let other: Database.Database | null = null
afterEach(() => {
  other?.close()
  other = null
  model.close()
  expect(model.bugs).toEqual([])
})

/** A backup or a scan of another program: nobody else writes meanwhile. Tells once it is over. */
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

/** Once what waited for the journal is in it. */
const processed = async () => {
  await model.journal.commit(() => {})
  return model.until(() => model.recordings()[0]?.state === 'processed', 60)
}

/** Holds the journal at the moment of the first such answer. */
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

const asked = (what: string) => model.service.asked.filter((one) => one === what).length

for (const [name, what] of [
  ['createSession', 'create'],
  ['sendPart', 'part'],
  ['completeSession', 'complete'],
] as const)
  test(`while another program holds the journal, the answer to ${name} is kept and not asked for again`, async () => {
    const held = heldAt(name)
    model = new ModelStation({ around: held.around })
    model.drive.write(`${FOLDER}/take.bin`, 'a night', 30_000_000)
    expect(await model.until(() => held.isOver() !== null, 60)).toBe(true)
    await held.isOver()
    expect(await processed()).toBe(true)
    expect(asked(what)).toBe(1)
  })

test('an answer that ends a trouble of the station counts, although the journal cannot be told of it', async () => {
  const held = heldAt('sendPart')
  model = new ModelStation({ around: held.around })
  model.drive.write(`${FOLDER}/take.bin`, 'a night', 30_000_000)
  expect(await model.until(() => model.recordings()[0]?.state === 'uploading', 20)).toBe(true)
  model.station.raise('storage', 'storage-unreachable')
  await model.pass(120_000)
  expect(await model.until(() => held.isOver() !== null, 20)).toBe(true)
  await held.isOver()
  expect(await processed()).toBe(true)
  expect(asked('part')).toBe(1)
  model.station.tellAgain()
  expect(model.journal.station.conditions()).toEqual([])
})

test('a file that was read to its end is not read again because the journal was held then', async () => {
  model = new ModelStation()
  let over: Promise<void> | null = null
  let reads = 0
  model.drive.fate = (touched) => {
    if (touched === 'hash') {
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

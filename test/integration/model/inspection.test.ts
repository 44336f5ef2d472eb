import { afterEach, beforeEach, expect, test } from 'vitest'
import { failed } from '../../../main/agent/domain/failure.ts'
import type { InspectionThread } from '../../../main/agent/ports/inspection.ts'
import { FOLDER, ModelStation } from '../../support/model/station.ts'

const FILE = `${FOLDER}/take.mcap`

let model: ModelStation
let inspect: InspectionThread['inspect']
beforeEach(() => {
  model = new ModelStation()
  inspect = model.drive.inspecting.inspect
})
afterEach(() => {
  model.close()
  expect(model.bugs).toEqual([])
})

const inspectBy = (other: InspectionThread['inspect']) =>
  Object.assign(model.drive.inspecting, { inspect: other })
const found = () => model.journal.inspections.of(model.single().id)
const isProcessed = () => model.until(() => model.single().state === 'processed')

test('a recording is inspected after its end', async () => {
  model.drive.write(FILE, 'any', 10_000)
  expect(await model.until(() => model.recordings()[0]?.state === 'queued' || found() !== null)).toBe(true)
  expect(await model.until(() => found() !== null)).toBe(true)
})

test('an inspection that never ends delays no upload', async () => {
  inspectBy(() => new Promise(() => {}))
  model.drive.write(FILE, 'any', 10_000)
  expect(await isProcessed()).toBe(true)
  expect(found()).toBeNull()
})

test('a recording that ended before a crash is inspected after it', async () => {
  inspectBy(() => new Promise(() => {}))
  model.drive.write(FILE, 'any', 10_000)
  expect(await isProcessed()).toBe(true)
  inspectBy(inspect)
  model.restart()
  expect(await model.until(() => found() !== null)).toBe(true)
})

test('a locked file is inspected when it is free', async () => {
  let calls = 0
  inspectBy(async (request) => {
    calls += 1
    return calls === 1 ? failed({ kind: 'file-busy', detail: 'locked' }) : inspect(request)
  })
  model.drive.write(FILE, 'any', 10_000)
  expect(await model.until(() => calls > 0 && found() !== null)).toBe(true)
  expect(calls).toBe(2)
})

test('a file that cannot be inspected is uploaded, and not inspected again', async () => {
  let calls = 0
  inspectBy(async () => {
    calls += 1
    return failed({ kind: 'file-unreadable', detail: 'permission denied' })
  })
  model.drive.write(FILE, 'any', 10_000)
  expect(await isProcessed()).toBe(true)
  for (let n = 0; n < 5; n += 1) {
    await model.pass(600_000)
    await model.round()
  }
  expect(calls).toBe(1)
})

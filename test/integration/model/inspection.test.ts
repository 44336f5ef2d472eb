import { afterEach, beforeEach, expect, test } from 'vitest'
import { failed } from '../../../main/agent/domain/failure.ts'
import type { InspectionThread } from '../../../main/agent/ports/inspection.ts'
import { FOLDER, ModelStation } from '../../support/model/station.ts'

const FILE = `${FOLDER}/take.mcap`

let model: ModelStation
let inspect: InspectionThread['inspect']
beforeEach(() => {
  model = new ModelStation()
  inspect = model.drive.inspectionThread.inspect
})
afterEach(() => model.closeAndExpectNoBugs())

const replaceInspect = (replacement: InspectionThread['inspect']) =>
  Object.assign(model.drive.inspectionThread, { inspect: replacement })
const storedInspection = () => model.journal.inspections.of(model.firstRecording().id)
const waitUntilProcessed = () => model.until(() => model.firstRecording().state === 'processed')

test('a recording is inspected', async () => {
  model.drive.write(FILE, 'any', 10_000)
  expect(
    await model.until(() => model.recordings()[0]?.state === 'queued' || storedInspection() !== null),
  ).toBe(true)
  expect(await model.until(() => storedInspection() !== null)).toBe(true)
})

test('an inspection that never ends delays no upload', async () => {
  replaceInspect(() => new Promise(() => {}))
  model.drive.write(FILE, 'any', 10_000)
  expect(await waitUntilProcessed()).toBe(true)
  expect(storedInspection()).toBeNull()
})

test('a recording that was finished before a crash is inspected after the restart', async () => {
  replaceInspect(() => new Promise(() => {}))
  model.drive.write(FILE, 'any', 10_000)
  expect(await waitUntilProcessed()).toBe(true)
  replaceInspect(inspect)
  model.restart()
  expect(await model.until(() => storedInspection() !== null)).toBe(true)
})

test('a locked file is inspected once it is no longer locked', async () => {
  let calls = 0
  replaceInspect(async (request) => {
    calls += 1
    return calls === 1 ? failed({ kind: 'file-busy', detail: 'locked' }) : inspect(request)
  })
  model.drive.write(FILE, 'any', 10_000)
  expect(await model.until(() => calls > 0 && storedInspection() !== null)).toBe(true)
  expect(calls).toBe(2)
})

test('a file that cannot be inspected is uploaded, and not inspected again', async () => {
  let calls = 0
  replaceInspect(async () => {
    calls += 1
    return failed({ kind: 'file-unreadable', detail: 'permission denied' })
  })
  model.drive.write(FILE, 'any', 10_000)
  expect(await waitUntilProcessed()).toBe(true)
  for (let n = 0; n < 5; n += 1) {
    await model.pass(600_000)
    await model.round()
  }
  expect(calls).toBe(1)
})

test('the technician has to act if the service cannot process a file that the inspection found cut off', async () => {
  model.close()
  model = new ModelStation({
    wrapClient: (client) => ({
      ...client,
      retrieveSession: async (id, signal) => {
        const answer = await client.retrieveSession(id, signal)
        if (!answer.ok || answer.value.value.status === 'uploading') return answer
        return { ok: true, value: { ...answer.value, value: { ...answer.value.value, status: 'failed' } } }
      },
    }),
  })
  inspect = model.drive.inspectionThread.inspect
  replaceInspect(async (request) => {
    const answer = await inspect(request)
    return answer.ok ? { ...answer, value: { ...answer.value, completeness: 'cut-off' } } : answer
  })
  model.drive.write(FILE, 'half', 10_000)
  expect(await model.until(() => model.firstRecording().state === 'failed')).toBe(true)
  expect(model.firstRecording().problem).toMatchObject({ code: 'recording-incomplete', owner: 'technician' })
})

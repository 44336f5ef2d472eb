import { afterEach, expect, test } from 'vitest'
import { type Failure, failed } from '../../../main/agent/domain/failure.ts'
import { standingOf } from '../../../main/agent/domain/standing.ts'
import type { Recording } from '../../../main/agent/journal/journal.ts'
import type { ServiceClient } from '../../../main/agent/ports/service.ts'
import { FOLDER, ModelStation } from '../../support/model/station.ts'

const ORIGINAL = `${FOLDER}/take.bin`
const COPY = `${FOLDER}/take (copy).bin`
const SIZE = 30_000_000

let model: ModelStation
afterEach(() => {
  model.close()
  expect(model.bugs).toEqual([])
})

const at = (path: string): Recording => {
  const found = model.recordings().find((recording) => recording.path === path)
  if (found === undefined) throw new Error(`no recording at ${path}`)
  return found
}

const standing = (path: string) => {
  const recording = at(path)
  const view = { service: model.journal.station.serviceInUse(), sending: true }
  return standingOf({ ...recording, endsBy: recording.problem?.endsBy ?? null }, view)
}

const copyIsReady = async (): Promise<void> => {
  model.drive.write(COPY, 'a night', SIZE)
  model.hint()
  await model.until(() => model.recordings().length === 2 && at(COPY).state === 'ready')
}

const mismatching = (client: ServiceClient): ServiceClient => ({
  ...client,
  completeSession: async () =>
    failed({ kind: 'conflict', code: 'checksum_mismatch', message: 'no', requestId: 'req_1' }),
})

const busy: Failure = { kind: 'conflict', code: 'conflict', message: 'busy', requestId: null }

/** The service has the original, but has not accepted it yet. The copy is hashed and waits for the original. */
const copyWaits = async () => {
  model = new ModelStation()
  model.service.fate = (call) =>
    call === 'complete' ? { kind: 'refused', failure: busy } : { kind: 'answered' }
  model.drive.write(ORIGINAL, 'a night', SIZE)
  await model.until(() => at(ORIGINAL).attempts >= 3)
  await copyIsReady()
}

test('a copy of a recording that needs attention needs attention too, and does not keep a run alive', async () => {
  model = new ModelStation({ around: mismatching })
  model.drive.write(ORIGINAL, 'a night', SIZE)
  await model.until(() => at(ORIGINAL).problem !== null)
  await copyIsReady()
  await model.round()
  expect(model.journal.work.left()).toEqual({ ready: 0, processing: 0, passing: 0, attention: 2 })
  expect(at(COPY)).toMatchObject({
    sessionId: null,
    problem: { code: 'checksum-mismatch', endsBy: 'answer' },
  })
})

test('a copy of a waiting recording waits and continues with it', async () => {
  await copyWaits()
  await model.round()
  expect(model.journal.work.left()).toEqual({ ready: 0, processing: 0, passing: 2, attention: 0 })
  model.service.fate = () => ({ kind: 'answered' })
  expect(await model.until(() => model.recordings().every(({ state }) => state === 'processed'))).toBe(true)
  expect(model.service.sessions.size).toBe(1)
  expect(at(COPY).problem).toBeNull()
})

test('a copy that vanishes after its content was processed is safe', async () => {
  model = new ModelStation()
  model.drive.write(ORIGINAL, 'a night', SIZE)
  expect(await model.until(() => at(ORIGINAL).state === 'processed')).toBe(true)
  model.journal.station.pause(null)
  await copyIsReady()
  model.drive.remove(COPY)
  model.hint()
  await model.until(() => at(COPY).state !== 'ready', 20)
  expect(at(COPY)).toMatchObject({ state: 'processed', problem: null, duplicateOf: at(ORIGINAL).id })
  expect(standing(COPY)).toBe('safe')
})

test('a copy that vanishes earlier becomes safe when its content does', async () => {
  await copyWaits()
  model.drive.remove(COPY)
  model.hint()
  expect(await model.until(() => at(COPY).state === 'gone', 20)).toBe(true)
  expect(standing(COPY)).toBe('needs-attention')
  model.service.fate = () => ({ kind: 'answered' })
  expect(await model.until(() => at(ORIGINAL).state === 'processed')).toBe(true)
  expect(at(COPY)).toMatchObject({ state: 'processed', problem: null, duplicateOf: at(ORIGINAL).id })
  expect(standing(COPY)).toBe('safe')
})

test('a copy overwritten before it vanished is not safe, because its last content was never hashed', async () => {
  await copyWaits()
  model.drive.fate = (call) => (call === 'hash' ? { kind: 'file-busy', detail: 'held' } : null)
  model.drive.write(COPY, 'another night', SIZE)
  model.hint()
  expect(await model.until(() => at(COPY).state === 'queued', 20)).toBe(true)
  model.drive.remove(COPY)
  model.hint()
  expect(await model.until(() => at(COPY).state === 'gone', 20)).toBe(true)
  model.service.fate = () => ({ kind: 'answered' })
  expect(await model.until(() => at(ORIGINAL).state === 'processed')).toBe(true)
  expect(at(COPY).state).toBe('gone')
  expect(standing(COPY)).toBe('needs-attention')
})

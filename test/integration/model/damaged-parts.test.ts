import { afterEach, expect, test } from 'vitest'
import { done, type Failure, failed } from '../../../main/agent/domain/failure.ts'
import { wholeDigest } from '../../support/model/content.ts'
import { FOLDER, ModelStation } from '../../support/model/station.ts'

/** The service refuses, loses or never lists a part. */

const FILE = `${FOLDER}/take.bin`
const SIZE = 30_000_000

let model: ModelStation
afterEach(() => model.close())

const recording = () => model.journal.recordings.currentByPath(FILE)

test('uploads the new content if a refused part reveals that the file has changed', async () => {
  model = new ModelStation()
  model.drive.write(FILE, 'take one', SIZE)
  const creations = () => model.service.countCalls('create')
  model.service.fate = (call) => {
    if (call === 'create' && creations() === 1) model.drive.editKeepingTimes(FILE, 'take two')
    // §4.2: the bytes do not match their checksum.
    return call === 'part' && creations() === 1
      ? { kind: 'refused', failure: { kind: 'part-corrupt' } }
      : { kind: 'answered' }
  }
  expect(await model.until(() => recording()?.state === 'processed')).toBe(true)
  expect(recording()?.sha256).toBe(wholeDigest('take two'))
  expect(creations()).toBe(2)
})

test('resends a part that was damaged in transit', async () => {
  model = new ModelStation()
  model.drive.write(FILE, 'take one', SIZE)
  let isDamaged = true
  model.service.fate = (call) => {
    if (call !== 'part' || !isDamaged) return { kind: 'answered' }
    isDamaged = false
    return { kind: 'refused', failure: { kind: 'part-corrupt' } }
  }
  expect(await model.until(() => recording()?.state === 'processed')).toBe(true)
  expect(recording()?.sha256).toBe(wholeDigest('take one'))
  expect(model.service.countCalls('create')).toBe(1)
})

const SEVERAL_PARTS_BYTES = 2_000_000_000

const partsRefused: Failure = {
  kind: 'rejected',
  origin: 'control',
  status: 400,
  code: 'parameter_invalid',
  message: 'part 2 unknown',
  param: 'parts',
  requestId: 'req_1',
}

test('resends a part that the service acknowledged and then lost', async () => {
  model = new ModelStation()
  model.drive.write(FILE, 'take one', SEVERAL_PARTS_BYTES)
  let lostAtMs: number | null = null
  model.service.fate = (call) => {
    if (call !== 'complete' || lostAtMs !== null) return { kind: 'answered' }
    lostAtMs = model.nowMs
    for (const session of model.service.sessions.values()) session.parts.delete(2)
    return { kind: 'refused', failure: partsRefused }
  }
  expect(await model.until(() => recording()?.state === 'processed')).toBe(true)
  // Sluice resends the part at once, without waiting for the hourly retry.
  expect(model.nowMs - (lostAtMs ?? 0)).toBeLessThan(3_600_000)
  expect(model.service.sessions.size).toBe(1)
  expect(model.service.countCalls('create')).toBe(1)
})

test('reports a problem and backs off if the service refuses completion but lists no missing part', async () => {
  const withoutPartTwo = <
    T extends { readonly upload: { readonly parts: readonly { number: number }[] } | null },
  >(
    session: T,
  ): T => ({
    ...session,
    upload: session.upload && {
      ...session.upload,
      parts: session.upload.parts.filter(({ number }) => number !== 2),
    },
  })
  model = new ModelStation({
    wrapClient: (client) => ({
      ...client,
      createSession: async (...args) => {
        const answer = await client.createSession(...args)
        return answer.ok ? done({ ...answer.value, value: withoutPartTwo(answer.value.value) }) : answer
      },
      retrieveSession: async (...args) => {
        const answer = await client.retrieveSession(...args)
        return answer.ok ? done({ ...answer.value, value: withoutPartTwo(answer.value.value) }) : answer
      },
      completeSession: async () => failed(partsRefused),
    }),
  })
  model.drive.write(FILE, 'take one', SEVERAL_PARTS_BYTES)
  expect(await model.until(() => (recording()?.problem ?? null) !== null, 200)).toBe(true)
  expect(recording()?.problem?.code).toBe('upload-refused')
  expect(model.service.countCalls('create')).toBeLessThanOrEqual(5)
})

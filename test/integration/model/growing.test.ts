import { afterEach, beforeEach, expect, test } from 'vitest'
import { wholeDigest } from '../../support/model/content.ts'
import { FOLDER, ModelStation } from '../../support/model/station.ts'

const MB = 1_000_000
const pathOf = (name: string) => `${FOLDER}/${name}`

let model: ModelStation
beforeEach(() => {
  model = new ModelStation()
})
afterEach(() => model.closeAndExpectNoBugs())

const reasonsOf = (path: string) =>
  model.journal.views.timeline(model.recordingAt(path).id).map(({ reason }) => reason)
const waitUntilProcessed = (path: string) => model.until(() => model.recordingAt(path).state === 'processed')

/** Grows the file in steps of 50 MB. Each step is followed by a folder event and 600 ms. */
const grow = async (path: string, content: string, toBytes: number, fromBytes = 0): Promise<void> => {
  for (let bytes = fromBytes + 50 * MB; bytes <= toBytes; bytes += 50 * MB) {
    model.drive.write(path, content, bytes)
    model.hint()
    await model.round()
    await model.pass(600)
  }
}

const bytesHashedAhead = (path: string) => model.drive.runningHashes.bytesOf(model.recordingAt(path).id)

test('Sluice hashes a recording while it grows; the rest of the hash does not wait for the backlog', async () => {
  const path = pathOf('a.bin')
  await grow(path, 'a take', 1_000 * MB)
  expect(bytesHashedAhead(path)).toBeGreaterThan(900 * MB)
  expect(bytesHashedAhead(path)).toBeLessThanOrEqual(1_000 * MB - 16 * 1024 ** 2)
  // The hash of `old.bin` never ends, so it keeps a hash thread busy.
  model.drive.write(pathOf('old.bin'), 'a backlog', 3_000 * MB)
  model.drive.fate = (call) => (call === 'hash' ? 'never' : null)
  expect(await waitUntilProcessed(path)).toBe(true)
  expect(model.recordingAt(path).sha256).toBe(wholeDigest('a take'))
  expect(reasonsOf(path)).toContain('hashed while it was recorded, 15 parts')
})

test('hashes the whole file again if the recorder rewrites earlier bytes when it finishes the file', async () => {
  const path = pathOf('a.wav')
  await grow(path, 'a take', 500 * MB)
  model.drive.write(path, 'a take with its head filled in', 500 * MB)
  model.hint()
  expect(await waitUntilProcessed(path)).toBe(true)
  expect(model.recordingAt(path).sha256).toBe(wholeDigest('a take with its head filled in'))
  expect(reasonsOf(path)).toContain(
    'the recorder rewrote bytes that were already hashed; reading the whole file',
  )
  expect(model.service.sessions.size).toBe(1)
})

test('hashes the file again if the storage refuses a part (§4.2) after an undetected change', async () => {
  const path = pathOf('a.bin')
  await grow(path, 'a take', 500 * MB)
  model.drive.missesRewrites = true
  model.drive.write(path, 'a take, edited', 500 * MB)
  model.hint()
  const creations = () => model.service.countCalls('create')
  model.service.fate = (call) =>
    call === 'part' && creations() === 1
      ? { kind: 'refused', failure: { kind: 'part-corrupt' } }
      : { kind: 'answered' }
  expect(await waitUntilProcessed(path)).toBe(true)
  expect(model.recordingAt(path).sha256).toBe(wholeDigest('a take, edited'))
  expect(model.recordingAt(path).problem).toBeNull()
  expect(model.service.completeSessions()).toHaveLength(1)
})

test('after a crash, hashing starts again at the beginning of a file that still grows', async () => {
  const path = pathOf('a.bin')
  await grow(path, 'a take', 300 * MB)
  model.restart()
  expect(bytesHashedAhead(path)).toBe(0)
  await grow(path, 'a take', 600 * MB, 300 * MB)
  expect(bytesHashedAhead(path)).toBeGreaterThan(300 * MB)
  expect(await waitUntilProcessed(path)).toBe(true)
  expect(model.recordingAt(path).sha256).toBe(wholeDigest('a take'))
})

test('the timeline names a single part in the singular', async () => {
  const path = pathOf('a.bin')
  model.drive.write(path, 'a take', MB)
  model.hint()
  expect(await waitUntilProcessed(path)).toBe(true)
  expect(reasonsOf(path)).toContain('hashed, 1 part')
})

test('after a crash, a file that no longer grows is hashed like any other file', async () => {
  const path = pathOf('a.bin')
  await grow(path, 'a take', 300 * MB)
  model.restart()
  expect(await waitUntilProcessed(path)).toBe(true)
  expect(model.recordingAt(path).sha256).toBe(wholeDigest('a take'))
  expect(reasonsOf(path)).toContain('hashed, 5 parts')
})

test('stops hashing growing `.wav` files after their recorder has rewritten two of them', async () => {
  for (const name of ['1.wav', '2.wav']) {
    await grow(pathOf(name), name, 300 * MB)
    model.drive.write(pathOf(name), `${name} with its head filled in`, 300 * MB)
    model.hint()
    expect(await waitUntilProcessed(pathOf(name))).toBe(true)
  }
  await grow(pathOf('3.wav'), '3.wav', 300 * MB)
  expect(bytesHashedAhead(pathOf('3.wav'))).toBe(0)
  await grow(pathOf('3.mcap'), '3.mcap', 300 * MB)
  expect(bytesHashedAhead(pathOf('3.mcap'))).toBeGreaterThan(0)
})

test('reads a file only once, after it settles, if the file is small or does not grow', async () => {
  model.settings = { ...model.settings, folders: [{ ...model.settings.folders[0]!, settle_seconds: 60 }] }
  for (const name of ['a', 'b', 'c']) model.drive.write(pathOf(name), name, 1_000 * MB)
  for (let bytes = 1; bytes < 80; bytes += 8) {
    model.drive.write(pathOf('small'), 'small', bytes * MB)
    model.hint()
    await model.round()
    await model.pass(600)
  }
  expect(model.recordings().map(({ state }) => state)).toEqual(Array(4).fill('growing'))
  expect(model.drive.runningHashes.ids()).toEqual([])
})

test('hashes at most four growing files at the same time, and starts with the next when one is finished', async () => {
  const names = ['1', '2', '3', '4', '5'].map(pathOf)
  for (let bytes = 100; bytes <= 400; bytes += 50) {
    for (const name of names) model.drive.write(name, name, bytes * MB)
    model.hint()
    await model.round()
    await model.pass(600)
  }
  expect(model.drive.runningHashes.ids()).toHaveLength(4)
  const waitingFile = names.find((name) => bytesHashedAhead(name) === 0)!
  for (let bytes = 450; bytes <= 2_000; bytes += 50) {
    model.drive.write(waitingFile, waitingFile, bytes * MB)
    model.hint()
    await model.round()
    await model.pass(600)
  }
  expect(bytesHashedAhead(waitingFile)).toBeGreaterThan(0)
})

test('two hash threads never read the same file at the same time', async () => {
  const path = pathOf('a.bin')
  const { promise: gate, resolve: open } = Promise.withResolvers<void>()
  const { hash } = model.drive.hashing
  Object.assign(model.drive.hashing, {
    hash: async (request: Parameters<typeof hash>[0]) => {
      await gate
      return hash(request)
    },
  })
  model.drive.write(path, 'a take', 200 * MB)
  model.hint()
  expect(await model.until(() => model.recordingAt(path).state === 'hashing')).toBe(true)
  // This request is late: it hashes the file as if the file still grew.
  const { id, identity } = model.recordingAt(path)
  const partSizeBytes = 64 * 1024 ** 2
  const signal = new AbortController().signal
  await model.drive.runningHashes.advance({ id, path, identity, partSizeBytes, toBytes: 64 * MB, signal })
  for (let round = 0; round < 3; round += 1) await model.round()
  expect(model.recordingAt(path).state).toBe('hashing')
  open()
  expect(await waitUntilProcessed(path)).toBe(true)
  expect(reasonsOf(path)).not.toContain('hashing was interrupted')
  expect(reasonsOf(path).filter((reason) => reason.startsWith('hashed'))).toHaveLength(1)
})

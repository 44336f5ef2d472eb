import { afterEach, beforeEach, expect, test } from 'vitest'
import { wholeDigest } from '../../support/model/content.ts'
import { FOLDER, ModelStation } from '../../support/model/station.ts'

/** These tests simulate a recorder that writes `current.bin`, renames it and immediately writes the last bytes. */

const MB = 1_000_000
const CURRENT = `${FOLDER}/current.bin`
const FINAL = `${FOLDER}/take-3.bin`

let model: ModelStation
beforeEach(async () => {
  model = new ModelStation()
  for (let bytes = 50 * MB; bytes <= 200 * MB; bytes += 50 * MB) {
    model.drive.write(CURRENT, 'a take', bytes)
    await scan()
  }
  expect(states()).toEqual([[CURRENT, 'growing']])
})
afterEach(() => model.closeAndExpectNoBugs())

const states = () => model.recordings().map(({ path, state }) => [path, state])

const scan = async (): Promise<void> => {
  model.hint()
  await model.round()
  await model.pass(600)
}

const finish = (): void => {
  model.drive.rename(CURRENT, FINAL)
  model.drive.write(FINAL, 'the whole take', 201 * MB)
}

const expectOneSafeRecording = async (): Promise<void> => {
  expect(await model.until(() => model.recordings().every(({ state }) => state === 'processed'))).toBe(true)
  expect(states()).toEqual([[FINAL, 'processed']])
  expect(model.firstRecording().sha256).toBe(wholeDigest('the whole take'))
  expect(model.service.completeSessions()).toHaveLength(1)
}

test('a scan that finds only the new name adds no second recording', async () => {
  finish()
  await scan()
  await expectOneSafeRecording()
})

test('a recording that a scan missed returns once a scan finds its new name', async () => {
  const file = model.drive.at(CURRENT)
  if (file === undefined) throw new Error('no file')
  model.drive.remove(CURRENT)
  await scan()
  expect(states()).toEqual([[CURRENT, 'gone']])
  model.drive.put(CURRENT, file)
  finish()
  await scan()
  await expectOneSafeRecording()
})

test('a file that has both names for a moment causes no second recording', async () => {
  const file = model.drive.at(CURRENT)
  if (file === undefined) throw new Error('no file')
  model.drive.put(FINAL, file)
  await scan()
  expect(states()).toEqual([[CURRENT, 'growing']])
  finish()
  await scan()
  await expectOneSafeRecording()
})

test('a file that keeps both names becomes two recordings, which share one session', async () => {
  const file = model.drive.at(CURRENT)
  if (file === undefined) throw new Error('no file')
  model.drive.put(FINAL, file)
  const isSafe = (path: string) => states().some(([at, state]) => at === path && state === 'processed')
  expect(await model.until(() => isSafe(CURRENT) && isSafe(FINAL))).toBe(true)
  expect(model.service.completeSessions()).toHaveLength(1)
})

test.each(['new name first', 'old name first'])(
  'a scan that lists both names, the %s, adds no second recording',
  async (order) => {
    const oldFile = model.drive.at(CURRENT)
    if (oldFile === undefined) throw new Error('no file')
    finish()
    const newFile = model.drive.at(FINAL)
    if (newFile === undefined) throw new Error('no file')
    // The scan saw the old name after one more write, just before the rename.
    const identity = { ...oldFile.identity, sizeBytes: 200.5 * MB, mtimeNs: model.drive.stamp() }
    const listing = [
      { path: FINAL, identity: newFile.identity },
      { path: CURRENT, identity },
    ]
    model.drive.listOnce(order === 'new name first' ? listing : listing.toReversed())
    await scan()
    await expectOneSafeRecording()
  },
)

test('a rename that is first seen after a restart adds no second recording', async () => {
  finish()
  model.restart()
  await expectOneSafeRecording()
})

test('a recording whose growing file was deleted becomes `gone`, although a new file has the same inode', async () => {
  const writeFileBornAt = (path: string, bornNs: string, sizeBytes: number) => {
    model.drive.write(path, `born at ${bornNs}`, sizeBytes)
    const file = model.drive.at(path)
    if (file !== undefined)
      model.drive.put(path, { ...file, identity: { ...file.identity, inode: '77', bornNs } })
  }
  model.drive.remove(CURRENT)
  writeFileBornAt(`${FOLDER}/first.bin`, '1000', 10 * MB)
  await scan()
  model.drive.remove(`${FOLDER}/first.bin`)
  writeFileBornAt(`${FOLDER}/second.bin`, '2000', 20 * MB)
  await scan()
  expect(Object.fromEntries(states())).toMatchObject({
    [`${FOLDER}/first.bin`]: 'gone',
    [`${FOLDER}/second.bin`]: 'growing',
  })
})

test('a finished file that is renamed and then written to is uploaded under its new name, as one recording', async () => {
  await model.until(() => model.firstRecording().state === 'processed')
  const path = `${FOLDER}/late.bin`
  model.drive.write(path, 'a take', 10 * MB)
  const file = model.drive.at(path)
  if (file === undefined) throw new Error('no file')
  model.drive.put(path, { ...file, identity: { ...file.identity, bornNs: '3000' } })
  model.drive.fate = (call) => (call === 'hash' ? { kind: 'file-busy', detail: 'simulated' } : null)
  const lateRecording = () => model.recordings().find(({ identity }) => identity.bornNs === '3000')
  expect(await model.until(() => lateRecording()?.state === 'queued')).toBe(true)
  model.drive.rename(path, FINAL)
  const movedFile = model.drive.at(FINAL)
  if (movedFile === undefined) throw new Error('no file')
  model.drive.put(FINAL, {
    content: 'the whole late take',
    identity: { ...movedFile.identity, sizeBytes: 11 * MB, mtimeNs: model.drive.stamp() },
  })
  model.drive.fate = () => null
  model.hint()
  expect(await model.until(() => lateRecording()?.state === 'processed')).toBe(true)
  expect(lateRecording()?.path).toBe(FINAL)
  expect(states().map(([, state]) => state)).toEqual(['processed', 'processed'])
})

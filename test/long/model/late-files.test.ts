import { afterEach, expect, test } from 'vitest'
import { wholeDigest } from '../../support/model/content.ts'
import type { ModelFile } from '../../support/model/files.ts'
import { FOLDER, ModelStation } from '../../support/model/station.ts'

/** Files that are older than the first scan of their folder, and appear after it. */

const DAY_MS = 86_400_000
const SIZE = 30_000_000
const LATE = `${FOLDER}/disk2/z.bin`

let model: ModelStation
afterEach(() => model.closeAndExpectNoBugs())

const sessionAt = (path: string) => model.journal.recordings.currentByPath(path)?.sessionId

const removeFile = (path: string): ModelFile => {
  const file = model.drive.at(path)
  if (file === undefined) throw new Error(`no ${path}`)
  model.drive.remove(path)
  return file
}

const listFolderOnce = async () => {
  model.drive.write(`${FOLDER}/first.bin`, 'another night', SIZE)
  expect(await model.until(() => model.areAllProcessed(1))).toBe(true)
  await model.pass(DAY_MS)
}

/** Loses the journal, and connects the drive only after the first scan with the new journal. */
const expectFoundAgain = async (onDrive: ModelFile) => {
  model.loseJournal()
  await listFolderOnce()
  model.drive.put(LATE, onDrive)
  model.hint()
  expect(await model.until(() => model.areAllProcessed(2))).toBe(true)
  expect(sessionAt(LATE)).toBe('ses_1')
  expect(model.service.sessions.size).toBe(2)
}

test('after the journal is lost, a recording on a drive that is connected after the first scan is not uploaded again', async () => {
  model = new ModelStation()
  model.drive.write(LATE, 'a night', SIZE)
  expect(await model.until(() => model.areAllProcessed(1))).toBe(true)
  const onDrive = removeFile(LATE)
  await expectFoundAgain(onDrive)
})

test('a card that a different station has just uploaded is not uploaded again', async () => {
  model = new ModelStation()
  // The file on the card is older than the first scan of the folder.
  model.drive.write(LATE, 'a night', SIZE)
  const card = removeFile(LATE)
  await model.pass(DAY_MS)
  await listFolderOnce()
  // The search for `older.bin` reads the list of sessions before a different station uploads the card.
  const older = `${FOLDER}/older.bin`
  model.drive.put(older, { ...card, content: 'an older night', identity: { ...card.identity, inode: '77' } })
  model.hint()
  expect(await model.until(() => model.areAllProcessed(2))).toBe(true)
  await model.pass(10 * 60_000)
  const sha256 = wholeDigest('a night')
  const body = { site: 'lab', filename: 'z.bin', bytes: SIZE, sha256, part_size: 64_000_000, device: 'other' }
  const created = await model.service.client().createSession(body, 'other', new AbortController().signal)
  if (!created.ok) throw new Error('the model refused a session')
  const session = model.service.sessions.get(created.value.value.id)!
  session.status = 'processed'
  session.completedAtMs = model.nowMs
  await model.pass(1_000)
  model.drive.put(LATE, card)
  model.hint()
  expect(await model.until(() => model.areAllProcessed(3))).toBe(true)
  expect(sessionAt(LATE)).toBe(session.id)
})

test('a new file in a folder that was scanned before needs no search for a session', async () => {
  model = new ModelStation()
  await listFolderOnce()
  model.drive.write(LATE, 'a night', SIZE)
  model.hint()
  expect(await model.until(() => model.recordings().length === 2)).toBe(true)
  expect(model.journal.recordings.currentByPath(LATE)?.findSessionFirst).toBe(false)
})

test('while a user copies in old files for several minutes, Sluice reads the list of sessions a few times, not once per file', async () => {
  const COUNT = 300
  model = new ModelStation()
  for (let n = 0; n < COUNT; n += 1) model.drive.write(`${FOLDER}/old-${n}.bin`, `night ${n}`, 1_000)
  const old = Array.from({ length: COUNT }, (_, n) => removeFile(`${FOLDER}/old-${n}.bin`))
  await model.pass(DAY_MS)
  await listFolderOnce()
  model.service.addOlderSessions(5_000)
  const begunAtMs = model.nowMs
  const before = model.service.countCalls('list')
  for (const [n, file] of old.entries()) {
    model.drive.put(`${FOLDER}/old-${n}.bin`, file)
    if (n % 10 !== 9) continue
    model.hint()
    await model.round()
    await model.pass(1_000)
  }
  expect(await model.until(() => model.areAllProcessed(COUNT + 1), 800)).toBe(true)
  const minutes = Math.ceil((model.nowMs - begunAtMs) / 60_000)
  // Sluice reads the whole list once, and then at most one page a minute. The follower reads a few more pages.
  expect(model.service.countCalls('list') - before).toBeLessThan(5_000 / 500 + minutes + 50)
})

test('after the journal is lost, a recording whose mtime is in the future is not uploaded again', async () => {
  model = new ModelStation()
  model.drive.write(LATE, 'a night', SIZE)
  const written = removeFile(LATE)
  const mtimeNs = String(BigInt(written.identity.mtimeNs) + BigInt(90 * DAY_MS) * 1_000_000n)
  model.drive.put(LATE, { ...written, identity: { ...written.identity, mtimeNs } })
  expect(await model.until(() => model.areAllProcessed(1))).toBe(true)
  const onDrive = removeFile(LATE)
  await model.pass(30 * DAY_MS)
  await expectFoundAgain(onDrive)
})

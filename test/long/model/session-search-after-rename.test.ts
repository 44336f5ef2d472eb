import { afterEach, expect, test } from 'vitest'
import type { RemoteSession } from '../../../main/agent/ports/service.ts'
import { settingsSchema } from '../../../shared/settings/settings.ts'
import { wholeDigest } from '../../support/model/content.ts'
import { connectionReset } from '../../support/model/failures.ts'
import { mapListedSessions } from '../../support/model/map-listed-sessions.ts'
import { FOLDER, ModelStation } from '../../support/model/station.ts'

/** Sluice finds the session of each file, even if the file was renamed or different files have the same content. */

const DAY_MS = 86_400_000
const SIZE = 30_000_000
const OLD = `${FOLDER}/take.bin`
const NEW = `${FOLDER}/take (2).bin`

let model: ModelStation
afterEach(() => model.closeAndExpectNoBugs())

const sessionAt = (path: string) => model.journal.recordings.currentByPath(path)?.sessionId

const loseCreationAnswer = async () => {
  model.service.fate = (call) =>
    call === 'create' ? { kind: 'lost', failure: connectionReset } : { kind: 'answered' }
  model.drive.write(OLD, 'a night', SIZE)
  expect(await model.until(() => model.service.sessions.size === 1)).toBe(true)
}

const renameWhileOff = async () => {
  await model.pass(2 * DAY_MS)
  model.drive.rename(OLD, NEW)
  model.restart()
  model.service.fate = () => ({ kind: 'answered' })
}

test('a file that is renamed after the answer to its create request was lost gets no second session', async () => {
  model = new ModelStation()
  await loseCreationAnswer()
  await renameWhileOff()
  expect(await model.until(() => model.firstRecording().state === 'processed')).toBe(true)
  expect(model.firstRecording().path).toBe(NEW)
  expect([...model.service.sessions.keys()]).toEqual(['ses_1'])
})

test('a file that is renamed after a lost answer finds its session, even if the list shows no SHA-256', async () => {
  model = new ModelStation({
    wrapClient: (client) => ({
      ...client,
      listSessions: mapListedSessions(client, (session) => ({ ...session, sha256: null })),
    }),
  })
  await loseCreationAnswer()
  await renameWhileOff()
  expect(await model.until(() => model.firstRecording().state === 'processed')).toBe(true)
  expect([...model.service.sessions.keys()]).toEqual(['ses_1'])
})

test('a file renamed after its upload is not uploaded again when the journal is lost', async () => {
  model = new ModelStation()
  model.drive.write(OLD, 'a night', SIZE)
  expect(await model.until(() => model.areAllProcessed(1))).toBe(true)
  model.drive.rename(OLD, NEW)
  model.loseJournal()
  expect(await model.until(() => model.areAllProcessed(1))).toBe(true)
  expect(sessionAt(NEW)).toBe('ses_1')
  expect([...model.service.sessions.keys()]).toEqual(['ses_1'])
})

const uploadDuplicates = () => {
  model.settings = settingsSchema.parse({
    ...model.settings,
    folders: [{ path: FOLDER, site: 'lab', settle_seconds: 1, upload_duplicates: true }],
  })
}

test('with `upload_duplicates`, a new file does not take the session of an earlier file with equal content', async () => {
  model = new ModelStation()
  uploadDuplicates()
  model.drive.write(`${FOLDER}/calibration-1.bin`, 'a night', SIZE)
  expect(await model.until(() => model.areAllProcessed(1))).toBe(true)
  model.drive.remove(`${FOLDER}/calibration-1.bin`)
  await model.pass(DAY_MS)
  model.loseJournal()
  const next = `${FOLDER}/calibration-2.bin`
  model.drive.write(next, 'a night', SIZE)
  const file = model.drive.at(next)!
  const session = model.service.sessions.get('ses_1')!
  const mtimeNs = String((session.createdAtMs + 1) * 1e6)
  model.drive.put(next, { ...file, identity: { ...file.identity, mtimeNs } })
  expect(await model.until(() => model.areAllProcessed(1))).toBe(true)
  expect(sessionAt(next)).toBe('ses_2')
})

test('with `upload_duplicates`, a new file does not take the session of an earlier file with the same name and content', async () => {
  model = new ModelStation()
  uploadDuplicates()
  model.drive.write(OLD, 'a night', SIZE)
  expect(await model.until(() => model.areAllProcessed(1))).toBe(true)
  model.drive.remove(OLD)
  await model.pass(8 * DAY_MS)
  model.loseJournal()
  model.drive.write(OLD, 'a night', SIZE)
  setMtime(OLD, model.nowMs - 60_000)
  expect(await model.until(() => model.areAllProcessed(1))).toBe(true)
  expect(sessionAt(OLD)).toBe('ses_2')
})

/** Sets the mtime of a file, as a copy tool or a recorder with a wrong clock does. */
const setMtime = (path: string, atMs: number) => {
  const file = model.drive.at(path)!
  model.drive.put(path, { ...file, identity: { ...file.identity, mtimeNs: String(atMs * 1e6) } })
}

test('after the journal is lost, a copy made after the upload shares the session of the original', async () => {
  model = new ModelStation()
  model.drive.write(`${FOLDER}/z.bin`, 'a night', SIZE)
  expect(await model.until(() => model.areAllProcessed(1))).toBe(true)
  await model.pass(DAY_MS)
  model.drive.write(`${FOLDER}/a.bin`, 'a night', SIZE)
  setMtime(`${FOLDER}/a.bin`, model.nowMs)
  expect(await model.until(() => model.areAllProcessed(2))).toBe(true)
  // The original is missing, so Sluice searches for the session of the copy first.
  model.drive.remove(`${FOLDER}/z.bin`)
  model.loseJournal()
  expect(await model.until(() => model.areAllProcessed(1))).toBe(true)
  model.drive.write(`${FOLDER}/z.bin`, 'a night', SIZE)
  expect(await model.until(() => model.areAllProcessed(2))).toBe(true)
  expect([sessionAt(`${FOLDER}/a.bin`), sessionAt(`${FOLDER}/z.bin`)]).toEqual(['ses_1', 'ses_1'])
  expect([...model.service.sessions.keys()]).toEqual(['ses_1'])
})

test('after the journal is lost, a renamed file of a recorder whose clock is ahead keeps its session', async () => {
  model = new ModelStation()
  model.drive.write(OLD, 'a night', SIZE)
  setMtime(OLD, model.nowMs + 2 * 3_600_000)
  expect(await model.until(() => model.areAllProcessed(1))).toBe(true)
  model.drive.rename(OLD, NEW)
  model.loseJournal()
  expect(await model.until(() => model.areAllProcessed(1))).toBe(true)
  expect([...model.service.sessions.keys()]).toEqual(['ses_1'])
})

test('with an empty journal, a file needs only a few polls even if hundreds of sessions have its content', async () => {
  model = new ModelStation()
  uploadDuplicates()
  const signal = new AbortController().signal
  const body = { site: 'lab', bytes: SIZE, sha256: wholeDigest('a night'), part_size: 64_000_000 }
  for (let n = 1; n <= 300; n += 1) {
    const request = { ...body, filename: 'take.bin' }
    await model.service.client().createSession(request, `key ${n}`, signal)
    const session = model.service.sessions.get(`ses_${n}`)!
    session.status = 'processed'
    session.completedAtMs = model.nowMs
  }
  const before = model.service.countCalls('retrieve')
  model.drive.write(OLD, 'a night', SIZE)
  expect(await model.until(() => model.areAllProcessed(1))).toBe(true)
  expect(model.service.countCalls('retrieve') - before).toBeLessThan(10)
})

test('after the journal is lost, files with equal content find the sessions with their own names', async () => {
  model = new ModelStation()
  uploadDuplicates()
  const paths = [1, 2, 3].map((n) => `${FOLDER}/copy-${n}.bin`)
  for (const path of paths) model.drive.write(path, 'a night', SIZE)
  expect(await model.until(() => model.areAllProcessed(3))).toBe(true)
  const ownSessions = paths.map(sessionAt)
  expect(new Set(ownSessions).size).toBe(3)
  model.loseJournal()
  expect(await model.until(() => model.areAllProcessed(3))).toBe(true)
  expect(paths.map(sessionAt)).toEqual(ownSessions)
  expect(model.service.sessions.size).toBe(3)
})

test('after the journal is lost, a file waits for its own session instead of taking the session of a file with equal content', async () => {
  let isHidden = false
  let hiddenCount = 0
  const hide = (session: RemoteSession): RemoteSession => {
    if (!isHidden || session.id !== 'ses_1') return session
    hiddenCount += 1
    return { ...session, sha256: null }
  }
  model = new ModelStation({
    wrapClient: (client) => ({
      ...client,
      listSessions: mapListedSessions(client, hide),
      retrieveSession: async (...args) => {
        const retrieved = await client.retrieveSession(...args)
        if (!retrieved.ok) return retrieved
        return { ok: true, value: { ...retrieved.value, value: hide(retrieved.value.value) } }
      },
    }),
  })
  uploadDuplicates()
  const [ownPath, equalPath] = ['own', 'equal'].map((name) => `${FOLDER}/${name}.bin`) as [string, string]
  model.drive.write(ownPath, 'a night', SIZE)
  expect(await model.until(() => model.areAllProcessed(1))).toBe(true)
  model.drive.write(equalPath, 'a night', SIZE)
  expect(await model.until(() => model.areAllProcessed(2))).toBe(true)
  model.drive.remove(equalPath)
  isHidden = true
  model.loseJournal()
  expect(await model.until(() => hiddenCount > 3)).toBe(true)
  expect(sessionAt(ownPath)).toBe(null)
  isHidden = false
  expect(await model.until(() => model.areAllProcessed(1))).toBe(true)
  expect(sessionAt(ownPath)).toBe('ses_1')
  expect(model.service.sessions.size).toBe(2)
})

test('a file finds its session even if the service has normalised the file name', async () => {
  const composed = 'Aufnahme für A.bin'.normalize('NFC')
  const decomposed = composed.normalize('NFD')
  model = new ModelStation({
    wrapClient: (client) => ({
      ...client,
      createSession: (request, ...rest) =>
        client.createSession({ ...request, filename: request.filename.normalize('NFC') }, ...rest),
      listSessions: mapListedSessions(client, (session) => ({ ...session, sha256: null })),
    }),
  })
  model.drive.write(`${FOLDER}/${decomposed}`, 'a night', SIZE)
  expect(await model.until(() => model.areAllProcessed(1))).toBe(true)
  expect(model.service.sessions.get('ses_1')?.request.filename).toBe(composed)
  model.loseJournal()
  expect(await model.until(() => model.areAllProcessed(1))).toBe(true)
  expect([...model.service.sessions.keys()]).toEqual(['ses_1'])
})

import { afterEach, expect, test } from 'vitest'
import { settingsSchema } from '../../../shared/settings/settings.ts'
import { FOLDER, ModelStation } from '../../support/model/station.ts'

const HOUR_MS = 3_600_000
const SIZE = 1_000_000

let model: ModelStation
afterEach(() => model.closeAndExpectNoBugs())

const record = (name: string) => {
  model.drive.write(`${FOLDER}/${name}`, `content of ${name}`, SIZE)
  model.hint()
}
const inState = (state: string) => () =>
  model
    .recordings()
    .filter((recording) => recording.state === state)
    .map(({ path }) => path)
    .sort()
const processed = inState('processed')
const ready = inState('ready')
const creations = () => model.service.countCalls('create')
const pathsOf = (...names: string[]) => names.map((name) => `${FOLDER}/${name}`)

/** The station skips `old.bin` and has uploaded `safe.bin`. Two more recordings wait for the service. */
const recordDuringOutage = async () => {
  model = new ModelStation()
  const [folder] = model.settings.folders
  model.settings = settingsSchema.parse({
    ...model.settings,
    folders: [{ ...folder, ignore_existing: true }],
  })
  model.restart()
  record('old.bin')
  await model.pass(HOUR_MS)
  await model.round()
  await model.pass(HOUR_MS)
  record('safe.bin')
  expect(await model.until(() => processed().length === 1)).toBe(true)
  model.service.fate = () => ({
    kind: 'refused',
    failure: { kind: 'network', origin: 'control', connected: true, detail: 'no route' },
  })
  record('waiting-1.bin')
  record('waiting-2.bin')
  expect(await model.until(() => ready().length === 2)).toBe(true)
  await model.pass(HOUR_MS)
}

const expectEachUploadedOnce = async () => {
  const creationsBefore = creations()
  model.service.fate = () => ({ kind: 'answered' })
  expect(await model.until(() => processed().length === 3)).toBe(true)
  expect(processed()).toEqual(pathsOf('safe.bin', 'waiting-1.bin', 'waiting-2.bin'))
  expect(model.recordings()).toHaveLength(3)
  expect(creations() - creationsBefore).toBe(2)
  expect(model.service.sessions.size).toBe(3)
}

test.each([
  ['is damaged and has no backup', /^journal.*\.db/],
  ['is removed with all its files', /^journal/],
])('uploads waiting recordings once and skips older files if the journal %s', async (_, lostFiles) => {
  await recordDuringOutage()
  model.loseJournal(lostFiles)
  await expectEachUploadedOnce()
})

test('uploads waiting recordings once if the new journal is lost too', async () => {
  await recordDuringOutage()
  model.loseJournal()
  expect(await model.until(() => model.recordings().length === 3)).toBe(true)
  model.loseJournal()
  await expectEachUploadedOnce()
})

test('skips every existing file if the whole data folder is lost', async () => {
  await recordDuringOutage()
  model.loseJournal(/^(?:journal|first-seen)/)
  model.service.fate = () => ({ kind: 'answered' })
  await model.round()
  record('new.bin')
  expect(await model.until(() => processed().length === 1)).toBe(true)
  expect(model.recordings().map(({ path }) => path)).toEqual(pathsOf('new.bin'))
})

import { afterEach, beforeEach, expect, test } from 'vitest'
import { standingOfRecording } from '../../../main/agent/domain/standing.ts'
import { settingsSchema } from '../../../shared/settings/settings.ts'
import { FOLDER, ModelStation } from '../../support/model/station.ts'

/** A recorder marks each finished file with a second file. */

const FILE = `${FOLDER}/take.bin`
const MARKER = `${FILE}.done`
const SIZE = 8_000_001

let model: ModelStation
beforeEach(() => {
  model = new ModelStation()
})
afterEach(() => {
  model.close()
  expect(model.bugs).toEqual([])
})

const setFolder = (folder: object): void => {
  model.settings = settingsSchema.parse({
    ...model.settings,
    folders: [{ path: FOLDER, site: 'lab', settle_seconds: 1, ...folder }],
  })
  model.restart()
}

const useMarkers = (): void => setFolder({ marker_suffix: '.done' })

const isProcessed = (path: string): boolean =>
  model.journal.recordings.currentByPath(path)?.state === 'processed'

test('uploads a file when its marker exists, and never the marker', async () => {
  useMarkers()
  model.drive.write(FILE, 'a take', SIZE)
  expect(await model.until(() => model.recordings()[0]?.state !== 'growing', 50)).toBe(false)
  model.drive.write(MARKER, '', 0)
  model.hint()
  expect(await model.until(() => isProcessed(FILE))).toBe(true)
  await model.until(() => false, 5)
  expect(model.recordings().map(({ path }) => path)).toEqual([FILE])
})

test('with `marker_suffix`, Sluice dismisses markers that are recordings already, until a user removes the setting', async () => {
  setFolder({ settle_seconds: 3600 })
  model.drive.write(FILE, 'a take', SIZE)
  model.drive.write(MARKER, 'finished', 8)
  await model.round()
  expect(model.recordings().map(({ state }) => state)).toEqual(['growing', 'growing'])
  // The user sets `marker_suffix` while both files wait.
  useMarkers()
  expect(await model.until(() => isProcessed(FILE))).toBe(true)
  const marker = model.recordingAt(MARKER)
  expect(marker).toMatchObject({ state: 'gone', problem: null })
  expect(standingOfRecording(marker, { service: null, sending: true })).toBe('dismissed')
  expect(model.journal.views.timeline(marker.id).at(-1)?.reason).toBe('it is a marker file')
  setFolder({})
  expect(await model.until(() => isProcessed(MARKER))).toBe(true)
})

test('the marker of an earlier file does not finish the next file of that name', async () => {
  useMarkers()
  model.drive.write(FILE, 'a take', SIZE)
  model.drive.write(MARKER, '', 0)
  expect(await model.until(() => isProcessed(FILE))).toBe(true)
  // The old marker stays beside the unfinished new file.
  model.drive.remove(FILE)
  model.drive.write(FILE, 'half of the next take', SIZE)
  model.hint()
  expect(await model.until(() => model.recordingAt(FILE).state !== 'growing', 40)).toBe(false)
  expect(model.recordingAt(FILE).problem?.code).toBe('marker-outdated')
  model.drive.write(FILE, 'the whole next take', SIZE + 1)
  model.hint()
  await model.round()
  expect(model.recordingAt(FILE).problem).toBeNull()
  model.drive.write(MARKER, '', 0)
  expect(await model.until(() => isProcessed(FILE))).toBe(true)
  expect(model.recordings().map(({ sha256 }) => sha256)).toHaveLength(2)
  expect(model.recordings().every(({ state }) => state === 'processed')).toBe(true)
})

test('an outdated marker needs attention only if it stays, and not while the recorder writes', async () => {
  useMarkers()
  model.drive.write(MARKER, '', 0)
  model.drive.write(FILE, 'a take', SIZE)
  model.drive.inspection = { ...model.drive.inspection, writer: 'open' }
  await model.until(() => false, 20)
  expect(model.recordingAt(FILE).problem).toBeNull()
  model.drive.inspection = { ...model.drive.inspection, writer: 'none' }
  const endsBy = () => model.recordingAt(FILE).problem?.endsBy
  expect(await model.until(() => endsBy() === 'time')).toBe(true)
  for (let minutes = 0; minutes < 240 && endsBy() === 'time'; minutes += 1) {
    await model.pass(60_000)
    await model.round()
  }
  expect(endsBy()).toBe('file')
})

test('a file that waits long for its marker has a problem, unless a program still has the file open', async () => {
  useMarkers()
  model.drive.write(FILE, 'a take', SIZE)
  model.drive.inspection = { ...model.drive.inspection, writer: 'open' }
  const passMinutes = async (minutes: number) => {
    for (let minute = 0; minute < minutes; minute += 1) {
      await model.pass(60_000)
      await model.round()
    }
  }
  await model.round()
  await passMinutes(20)
  expect(model.recordingAt(FILE).problem).toBeNull()
  model.drive.write(FILE, 'a longer take', SIZE + 1)
  model.drive.inspection = { ...model.drive.inspection, writer: 'none' }
  model.hint()
  await passMinutes(8)
  expect(model.recordingAt(FILE).problem).toBeNull()
  await passMinutes(6)
  expect(model.recordingAt(FILE).problem).toMatchObject({ code: 'marker-missing', endsBy: 'time' })
  expect(model.recordingAt(FILE).problem?.sentence).toContain('take.bin.done')
  await passMinutes(240)
  expect(model.recordingAt(FILE).problem?.endsBy).toBe('file')
  // The marker may never come, so the checks must become rare.
  const { attempts } = model.recordingAt(FILE)
  await passMinutes(60)
  expect(model.recordingAt(FILE).attempts - attempts).toBeLessThan(30)
  model.drive.write(MARKER, '', 0)
  expect(await model.until(() => isProcessed(FILE))).toBe(true)
})

test('a marker counts if it is copied with its file and both keep their old times, in any order', async () => {
  useMarkers()
  model.drive.write(FILE, 'a take', SIZE)
  model.drive.write(MARKER, '', 0)
  const file = model.drive.at(FILE)!
  model.drive.remove(FILE)
  // The copy of the marker is complete. The copy of the file grows, and gets its old mtime at the end.
  model.drive.write(FILE, 'half of the take', 4_000_000)
  expect(await model.until(() => model.recordings().some(({ state }) => state !== 'growing'), 30)).toBe(false)
  model.drive.put(FILE, {
    ...file,
    identity: { ...file.identity, inode: model.drive.at(FILE)!.identity.inode },
  })
  model.hint()
  expect(await model.until(() => isProcessed(FILE))).toBe(true)
})

test.each([
  ['deleted', { action: 'delete', days: 0 }, []],
  ['moved', { action: 'move', to: '/archive', days: 0 }, ['/archive/take.bin', '/archive/take.bin.done']],
  [
    'moved to a different drive',
    { action: 'move', to: '/other-drive/archive', days: 0 },
    ['/other-drive/archive/take.bin', '/other-drive/archive/take.bin.done'],
  ],
])('when a file is %s, so is its marker', async (_, after_upload, left) => {
  setFolder({ marker_suffix: '.done', after_upload })
  model.drive.write(FILE, 'a take', SIZE)
  model.drive.write(MARKER, 'finished', 8)
  expect(await model.until(() => model.recordings()[0]?.removedAtMs != null)).toBe(true)
  expect(model.drive.paths().toSorted()).toEqual(left)
})

test.each([
  ['the recorder wrote it during the removal, for the next file', () => model.drive.write(MARKER, '', 0)],
  ['it is too large for a marker', () => {}],
])('a removal leaves a marker alone if %s', async (why, whileHidden) => {
  setFolder({ marker_suffix: '.done', after_upload: { action: 'delete', days: 0 } })
  model.drive.write(FILE, 'a take', SIZE)
  model.drive.write(MARKER, '', why.includes('large') ? 1_000_000 : 0)
  model.fileOperations.onHide = () => whileHidden()
  expect(await model.until(() => model.recordings()[0]?.removedAtMs != null)).toBe(true)
  expect(model.drive.paths()).toEqual([MARKER])
})

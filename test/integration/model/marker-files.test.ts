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

test('a marker that an older version recorded ends, and is a recording again without the setting', async () => {
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
  expect(model.journal.views.timeline(marker.id).at(-1)?.reason).toBe(
    'a marker file; Sluice does not upload it',
  )
  setFolder({})
  expect(await model.until(() => isProcessed(MARKER))).toBe(true)
})

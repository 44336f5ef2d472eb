import { afterEach, expect, test } from 'vitest'
import { settingsSchema } from '../../../shared/settings/settings.ts'
import { FOLDER, ModelStation } from '../../support/model/station.ts'

/** The notes of a recording stay in the folder when Sluice removes the recording. */

const SIZE = 8_000_001

let model: ModelStation
afterEach(() => {
  model.close()
  expect(model.bugs).toEqual([])
})

const openStation = (after_upload: object): void => {
  model = new ModelStation()
  model.settings = settingsSchema.parse({
    ...model.settings,
    folders: [{ path: FOLDER, site: 'lab', settle_seconds: 1, notes_sidecar: '.txt', after_upload }],
  })
  model.restart()
}

const paths = () => model.recordings().map(({ path }) => path)

test.each(['take.txt', 'take.bin.txt'])(
  'the unchanged notes %s do not become a recording after their recording is removed',
  async (notes) => {
    openStation({ action: 'delete', days: 0 })
    model.drive.write(`${FOLDER}/take.bin`, 'a take', SIZE)
    model.drive.write(`${FOLDER}/${notes}`, 'notes', 5)
    // The scan after this event finds the notes without their recording.
    model.fileOperations.onHide = () => model.hint()
    expect(await model.until(() => model.recordings()[0]?.removedAtMs != null)).toBe(true)
    model.hint()
    await model.until(() => false, 20)
    expect(paths()).toEqual([`${FOLDER}/take.bin`])
    expect(model.drive.paths()).toEqual([`${FOLDER}/${notes}`])
    // Sluice has not sent this text, so the file becomes a recording.
    model.drive.write(`${FOLDER}/${notes}`, 'a different text', 16)
    model.hint()
    expect(await model.until(() => paths().includes(`${FOLDER}/${notes}`))).toBe(true)
  },
)

test('a text file whose name does not match a removed recording is a recording', async () => {
  openStation({ action: 'delete', days: 0 })
  model.drive.write(`${FOLDER}/take.bin`, 'a take', SIZE)
  model.drive.write(`${FOLDER}/take 2.txt`, 'a text', 6)
  model.drive.write(`${FOLDER}/tak.txt`, 'a text of its own', 17)
  expect(await model.until(() => model.recordings().every(({ removedAtMs }) => removedAtMs !== null))).toBe(
    true,
  )
  expect(paths()).toHaveLength(3)
})

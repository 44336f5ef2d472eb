import { expect } from 'vitest'
import { settingsSchema } from '../../../shared/settings/settings.ts'
import { FOLDER, ModelStation } from './station.ts'

export const SIZE = 8_000_001
export const DAY_MS = 86_400_000
/** An archive folder that is not on the drive of the recordings. */
export const ARCHIVE = '/other-drive/archive'

export const pathOf = (take: number): string => `${FOLDER}/take-${take}.bin`

export const isProcessed = (model: ModelStation): boolean =>
  model.recordings().every(({ state }) => state === 'processed')

export const pathsInFolder = (model: ModelStation): readonly string[] =>
  model.drive.paths().filter((path) => path.startsWith(FOLDER))

/** Applies one removal rule to the folder of the recordings. */
export const setRule = (model: ModelStation, after_upload: object): void => {
  model.settings = settingsSchema.parse({
    ...model.settings,
    folders: [{ site: 'lab', settle_seconds: 1, path: FOLDER, after_upload }],
  })
}

/** Opens a station and waits until all its recordings are processed. */
export const openProcessedStation = async (takes: number, bytes = SIZE): Promise<ModelStation> => {
  const model = new ModelStation()
  for (let take = 0; take < takes; take += 1) model.drive.write(pathOf(take), `content ${take}`, bytes)
  expect(await model.until(() => model.recordings().length === takes && isProcessed(model))).toBe(true)
  return model
}

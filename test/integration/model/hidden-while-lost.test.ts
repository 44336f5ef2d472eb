import { afterEach, expect, test } from 'vitest'
import { removalNameFor } from '../../../main/agent/domain/removal-name.ts'
import { FOLDER, ModelStation } from '../../support/model/station.ts'

let model: ModelStation
afterEach(() => {
  model.close()
  expect(model.bugs).toEqual([])
})

test('a file that gets its name back long after the journal was lost keeps its old session', async () => {
  model = new ModelStation()
  const path = `${FOLDER}/take.bin`
  model.drive.write(path, 'a night', 30_000_000)
  expect(await model.until(() => model.recordings()[0]?.state === 'processed')).toBe(true)
  // Killed during the removal, and the journal is lost.
  const hidden = `${FOLDER}/${removalNameFor('00000000-0000-4000-8000-000000000000', 'take.bin')}`
  model.drive.rename(path, hidden)
  model.loseJournal()
  const { station } = model.journal
  station.setRebuilt(true)
  model.fileOperations.fate = (operation) => (operation === 'place' ? 'refused' : 'done')
  // The agent does the same: it searches for sessions until its folders are complete.
  const tick = () => {
    if (station.rebuilt() && model.watcher.complete) station.setRebuilt(false)
  }
  const passes = async (rounds: number) => {
    for (let n = 0; n < rounds; n += 1) {
      await model.round()
      tick()
      await model.pass(60_000)
    }
  }
  await passes(10)
  expect(model.watcher.scanned).toBe(true)
  expect(station.rebuilt()).toBe(true)
  model.fileOperations.fate = () => 'done'
  const isProcessed = () => {
    tick()
    return model.recordings()[0]?.state === 'processed'
  }
  expect(await model.until(isProcessed)).toBe(true)
  expect([...model.service.sessions.keys()]).toEqual(['ses_1'])
  await passes(2)
  expect(station.rebuilt()).toBe(false)
})

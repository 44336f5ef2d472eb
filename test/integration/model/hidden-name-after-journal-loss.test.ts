import { afterEach, expect, test } from 'vitest'
import { removalNameFor } from '../../../main/agent/domain/removal-name.ts'
import { FOLDER, ModelStation } from '../../support/model/station.ts'

let model: ModelStation
afterEach(() => model.closeAndExpectNoBugs())

test('a file whose name Sluice restores long after the loss of the journal keeps its old session', async () => {
  model = new ModelStation()
  const path = `${FOLDER}/take.bin`
  model.drive.write(path, 'a night', 30_000_000)
  expect(await model.until(() => model.recordings()[0]?.state === 'processed')).toBe(true)
  // The agent is killed during the removal, and the journal is lost.
  const hidden = `${FOLDER}/${removalNameFor('00000000-0000-4000-8000-000000000000', 'take.bin')}`
  model.drive.rename(path, hidden)
  model.loseJournal()
  model.fileOperations.fate = (operation) => (operation === 'place' ? 'refused' : 'done')
  for (let n = 0; n < 10; n += 1) {
    await model.round()
    await model.pass(60_000)
  }
  expect(model.watcher.scanned).toBe(true)
  model.fileOperations.fate = () => 'done'
  expect(await model.until(() => model.recordings()[0]?.state === 'processed')).toBe(true)
  expect([...model.service.sessions.keys()]).toEqual(['ses_1'])
})

test('the hidden name of a different agent stays for a day, even if the file cannot be found for a moment', async () => {
  model = new ModelStation()
  model.drive.write(`${FOLDER}/take.bin`, 'a night', 30_000_000)
  expect(await model.until(() => model.areAllProcessed(1))).toBe(true)
  const hidden = `${FOLDER}/${removalNameFor('00000000-0000-4000-8000-000000000000', 'other.bin')}`
  model.drive.write(hidden, 'a different night', 30_000_000)
  let failures = 0
  model.drive.fate = (_, path) => {
    if (path !== hidden) return null
    failures += 1
    return { kind: 'file-vanished' }
  }
  model.hint()
  await model.until(() => failures > 0)
  expect(failures).toBeGreaterThan(0)
  model.drive.fate = () => null
  expect(model.drive.paths()).toContain(hidden)
  await model.pass(25 * 3_600_000)
  expect(await model.until(() => model.drive.paths().includes(`${FOLDER}/other.bin`))).toBe(true)
})

test('without the journal, Sluice restores a name of up to 89 bytes in full, and shortens a longer name', async () => {
  model = new ModelStation()
  const longest = `${'n'.repeat(85)}.bin`
  const tooLong = `${'m'.repeat(86)}.bin`
  for (const [index, name] of [longest, tooLong].entries()) {
    const hiddenName = removalNameFor(`00000000-0000-4000-8000-00000000000${index}`, name)
    model.drive.write(`${FOLDER}/${hiddenName}`, name, 30_000_000)
  }
  expect(await model.until(() => model.areAllProcessed(2))).toBe(true)
  expect(model.drive.paths()).toEqual([`${FOLDER}/${longest}`, `${FOLDER}/${tooLong.slice(1)}`])
})

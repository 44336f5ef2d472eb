import { afterEach, beforeEach, expect, test } from 'vitest'
import { dismiss, undoDismissal } from '../../../main/agent/calls/commands.ts'
import type { Recording } from '../../../main/agent/journal/journal.ts'
import { noteDeletion } from '../../../main/agent/sessions/session-deletion.ts'
import { FOLDER, ModelStation } from '../../support/model/station.ts'

/** A user's own actions never need attention. */

const FILE = `${FOLDER}/empty.bin`
const HOUR_MS = 3_600_000

let model: ModelStation
beforeEach(() => {
  model = new ModelStation()
})
afterEach(() => {
  model.close()
  expect(model.bugs).toEqual([])
})

const at = (): Recording => model.single()
const standings = () => model.journal.views.figures({ service: null, sending: true }).standings()
const only = (standing: string) =>
  Object.entries(standings()).filter(([name, count]) => count !== (name === standing ? 1 : 0))

const dismissedEmptyFile = async (): Promise<void> => {
  model.drive.write(FILE, '', 0)
  await model.until(() => at().problem?.code === 'empty-file')
  expect(only('needs-attention')).toEqual([])
  dismiss(model.journal, at())
}

test('an empty file that was dismissed stays dismissed when Sluice checks it again', async () => {
  await dismissedEmptyFile()
  expect(only('dismissed')).toEqual([])
  for (let hours = 0; hours < 5; hours += 1) {
    await model.pass(HOUR_MS)
    await model.round()
  }
  expect(only('dismissed')).toEqual([])
  expect(model.journal.views.problems()).toEqual([])
})

test('a dismissed file that the user deletes needs no attention', async () => {
  await dismissedEmptyFile()
  model.drive.remove(FILE)
  model.hint()
  expect(await model.until(() => at().state === 'gone')).toBe(true)
  expect(only('dismissed')).toEqual([])
})

test('a dismissed empty file that gets data is uploaded', async () => {
  await dismissedEmptyFile()
  model.drive.write(FILE, 'a take', 1_000)
  model.hint()
  expect(await model.until(() => at().state === 'processed')).toBe(true)
})

test('the user can undo the dismissal of a file', async () => {
  await dismissedEmptyFile()
  expect(undoDismissal(model.journal, at())).toBe(true)
  expect(only('needs-attention')).toEqual([])
})

test('a recording whose session the user deleted needs no attention', async () => {
  model.drive.write(FILE, 'a take', 1_000)
  await model.until(() => at().state === 'processed')
  noteDeletion(model.journal, at().sessionId ?? '', null)
  expect(at().state).toBe('failed')
  expect(only('dismissed')).toEqual([])
})

import { afterEach, beforeEach, expect, test } from 'vitest'
import { dismiss, undoDismissal } from '../../../main/agent/calls/commands.ts'
import type { Recording } from '../../../main/agent/journal/journal.ts'
import { noteDeletion } from '../../../main/agent/sessions/session-deletion.ts'
import { FOLDER, ModelStation } from '../../support/model/station.ts'

/** A recording needs no attention after a user dismissed it, deleted its dismissed file, or deleted its session. */

const FILE = `${FOLDER}/empty.bin`
const HOUR_MS = 3_600_000

let model: ModelStation
beforeEach(() => {
  model = new ModelStation()
})
afterEach(() => model.closeAndExpectNoBugs())

const recording = (): Recording => model.firstRecording()
const standings = () => model.journal.views.figures({ service: null, sending: true }).standings()
const unexpectedCounts = (standing: string) =>
  Object.entries(standings()).filter(([name, count]) => count !== (name === standing ? 1 : 0))

const dismissEmptyFile = async (): Promise<void> => {
  model.drive.write(FILE, '', 0)
  await model.until(() => recording().problem?.code === 'empty-file')
  expect(unexpectedCounts('needs-attention')).toEqual([])
  dismiss(model.journal, recording())
}

test('an empty file that was dismissed stays dismissed when Sluice checks it again', async () => {
  await dismissEmptyFile()
  expect(unexpectedCounts('dismissed')).toEqual([])
  for (let hours = 0; hours < 5; hours += 1) {
    await model.pass(HOUR_MS)
    await model.round()
  }
  expect(unexpectedCounts('dismissed')).toEqual([])
  expect(model.journal.views.problems()).toEqual([])
})

test('a dismissed file that the user deletes needs no attention', async () => {
  await dismissEmptyFile()
  model.drive.remove(FILE)
  model.hint()
  expect(await model.until(() => recording().state === 'gone')).toBe(true)
  expect(unexpectedCounts('dismissed')).toEqual([])
})

test('a dismissed empty file that gets data is uploaded', async () => {
  await dismissEmptyFile()
  model.drive.write(FILE, 'a take', 1_000)
  model.hint()
  expect(await model.until(() => recording().state === 'processed')).toBe(true)
})

test('the user can undo the dismissal of a file', async () => {
  await dismissEmptyFile()
  expect(undoDismissal(model.journal, recording())).toBe(true)
  expect(unexpectedCounts('needs-attention')).toEqual([])
})

test('a recording whose session the user deleted needs no attention', async () => {
  model.drive.write(FILE, 'a take', 1_000)
  await model.until(() => recording().state === 'processed')
  noteDeletion(model.journal, recording().sessionId ?? '', null)
  expect(recording().state).toBe('failed')
  expect(unexpectedCounts('dismissed')).toEqual([])
})

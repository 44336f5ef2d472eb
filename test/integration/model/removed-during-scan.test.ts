import { afterEach, expect, test } from 'vitest'
import type { FoundFile } from '../../../main/agent/ports/folders.ts'
import {
  ARCHIVE,
  DAY_MS,
  openProcessedStation,
  pathOf,
  pathsInFolder,
  SIZE,
  setRule,
} from '../../support/model/removal-station.ts'
import type { ModelStation } from '../../support/model/station.ts'

/** The remover removes a file after a scan listed the folder, but before the list is compared with the journal. */

const TAKES = 3

let model: ModelStation
afterEach(() => model.closeAndExpectNoBugs())

const listing = (): readonly FoundFile[] =>
  pathsInFolder(model).map((path) => ({ path, identity: model.drive.at(path)!.identity }))

/** Removes all files, and returns the listing from before the removal. */
const removeAll = async (after_upload: object): Promise<readonly FoundFile[]> => {
  model = await openProcessedStation(TAKES)
  const before = listing()
  setRule(model, after_upload)
  await model.pass(2 * DAY_MS)
  expect(await model.until(() => model.recordings().every(({ removedAtMs }) => removedAtMs !== null))).toBe(
    true,
  )
  expect(pathsInFolder(model)).toEqual([])
  return before
}

const recordListing = async (files: readonly FoundFile[]): Promise<void> => {
  model.drive.listOnce(files)
  model.hint()
  await model.until(() => false, 20)
}

test.each([
  { action: 'delete', days: 1 },
  { action: 'move', days: 1, to: ARCHIVE },
])('after $action, a listing from before the removal adds no recordings', async (rule) => {
  const before = await removeAll(rule)
  const { journal } = model
  const ids = () => model.recordings().map(({ id }) => id)
  const idsBefore = ids()
  await recordListing(before)
  expect(ids()).toEqual(idsBefore)
  expect(journal.views.problems()).toEqual([])
})

test('a listing from before the removal adds no recordings, although the clock was set back since then', async () => {
  const before = await removeAll({ action: 'delete', days: 1 })
  model.wallShiftMs = -DAY_MS
  await recordListing(before)
  expect(model.recordings()).toHaveLength(TAKES)
  expect(model.journal.views.problems()).toEqual([])
})

test('a file that is removed while the scan compares the list with the journal causes no new recording', async () => {
  model = await openProcessedStation(2)
  // One file has a new ctime and the other has a new name, so the scan must look at both.
  model.drive.editRestoringMtime(pathOf(0), 'content 0')
  model.drive.rename(pathOf(1), pathOf(2))
  model.drive.fate = (_, path) => {
    if (path === pathOf(1) && model.drive.at(pathOf(0)) !== undefined) {
      model.journal.recordings.markRemoved(model.recordingAt(pathOf(0)), null)
      model.drive.remove(pathOf(0))
    }
    return null
  }
  model.hint()
  await model.until(() => false, 20)
  expect(model.recordings().map(({ path }) => path)).toEqual([pathOf(0), pathOf(2)])
  expect(model.recordingAt(pathOf(0)).removedAtMs).not.toBeNull()
})

test('a new file at the path of a removed file is recorded with its current size, not the listed size', async () => {
  await removeAll({ action: 'delete', days: 1 })
  model.drive.write(pathOf(0), 'a new take', 10)
  const [first] = listing()
  if (first === undefined) throw new Error('no file')
  model.drive.write(pathOf(0), 'a new take that grows', SIZE)
  model.drive.listOnce([first])
  model.hint()
  expect(await model.until(() => model.recordingAt(pathOf(0)).removedAtMs === null)).toBe(true)
  expect(model.recordingAt(pathOf(0)).identity.sizeBytes).toBe(SIZE)
})

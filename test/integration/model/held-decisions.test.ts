import { afterEach, beforeEach, expect, test } from 'vitest'
import * as commands from '../../../main/agent/calls/commands.ts'
import { actOnPaths } from '../../../main/agent/calls/path-commands.ts'
import { RecordingActions } from '../../../main/agent/calls/recording-actions.ts'
import { done } from '../../../main/agent/domain/failure.ts'
import { isIgnored } from '../../../main/agent/domain/problems.ts'
import { createFolderOf } from '../../../main/agent/stage/folder-of.ts'
import { releaseInspectedTake } from '../../../main/agent/stage/held-takes.ts'
import { applyFolders } from '../../../main/agent/stage/removed-folders.ts'
import { takeSnapshot } from '../../../main/agent/status/snapshot.ts'
import { linuxPaths } from '../../../shared/paths/paths.ts'
import type { Inspection } from '../../../shared/status/inspection.ts'
import { endings } from '../../../shared/status/problem-terms.ts'
import { calmSources, quietOutlook } from '../../support/calm-snapshot.ts'
import { FOLDER } from '../../support/model/station.ts'
import { METADATA, TakeStation } from '../../support/model/take-station.ts'

/** A user's decision about a held recording lasts. Sluice reports a held recording until a user decides about it. */

const FILES = ['bag/bag_0.mcap', 'bag/bag_1.mcap', 'bag/metadata.yaml']
const HOLD = { on_deviation: 'hold', expect: { format: 'mcap', channels: [{ name: '/wrist' }] } }

let model: TakeStation
let isBad: (path: string) => boolean
/** The inspections of these files wait for `finishInspection`. */
let isSlow: (path: string) => boolean
let finishInspection: (() => void) | null
beforeEach(() => {
  model = new TakeStation()
  model.configure(HOLD)
  isBad = (path) => path.endsWith('_1.mcap')
  isSlow = () => false
  finishInspection = null
  const inspect = ({ path }: { readonly path: string }) =>
    isSlow(path)
      ? new Promise((resolve) => {
          finishInspection = () => resolve(done(inspectionOf(path)))
        })
      : Promise.resolve(done(inspectionOf(path)))
  Object.assign(model.drive.inspectionThread, { inspect })
})
afterEach(() => model.closeAndExpectNoBugs())

const inspectionOf = (path: string): Inspection => ({
  format: path.endsWith('.yaml') ? 'other' : 'mcap',
  completeness: 'complete',
  startedAtMs: 0,
  endedAtMs: 10_000,
  durationS: 10,
  channels: [
    { name: isBad(path) ? '/imu' : '/wrist', type: null, messages: 300, rateHz: 30, largestGapS: 0.1 },
  ],
  warnings: [],
})
const hours = async (count: number) => {
  for (let hour = 0; hour < count; hour += 1) {
    await model.pass(3_600_000)
    await model.round()
  }
}
const isKnown = (name: string) => model.recordings().some(({ path }) => path.endsWith(`/${name}`))
const problemOf = (name: string) => (isKnown(name) ? model.at(name).problem : null)
const isHeld = (name: string) => model.until(() => problemOf(name)?.code === 'take-held')
const writeBag = () => {
  model.write('bag/bag_0.mcap')
  model.write('bag/bag_1.mcap')
  model.write('bag/metadata.yaml', METADATA)
}
const holdBag = async () => {
  writeBag()
  for (const name of FILES) expect(await isHeld(name)).toBe(true)
}
const dismissBag = async () => {
  await holdBag()
  commands.dismiss(model.journal, model.at('bag/bag_1.mcap'))
  await model.round()
}
/** Does what `sluice dismiss` does. Without names, does what `sluice dismiss --all` does. */
const dismissPaths = (...names: readonly string[]) => {
  const paths = names.map((name) => `${FOLDER}/${name}`)
  expect(actOnPaths(model.journal, { action: 'dismiss', paths }).refused).toEqual([])
}
const toCheck = () => model.journal.inspections.toCheck(5)
/** Restarts Sluice with these settings of the only folder, and applies them to the journal as the agent does. */
const applyFolder = (folder: object) => {
  model.configure(folder)
  applyFolders(model.journal, model.settings.folders, linuxPaths)
}
const removeFolder = () => applyFolder({ path: '/elsewhere' })
const DISMISSED = {
  state: 'queued',
  sessionId: null,
  problem: { code: 'take-held', endsBy: 'dismissed' },
}
const expectDismissed = (names: readonly string[]) => {
  for (const name of names) expect(model.at(name)).toMatchObject(DISMISSED)
}

const cardOf = (name: string) =>
  takeSnapshot({
    ...calmSources,
    journal: model.journal,
    progress: model.progress,
    outlook: quietOutlook(model.journal),
    settings: model.settings,
    view: { service: null, sending: true },
    folderOf: createFolderOf(() => model.settings, linuxPaths),
    nowMs: model.nowMs,
  }).takesToCheck.newest.find((take) => take.name === name)
const reportEarly = async (folder: object) => {
  model.configure({ ...folder, take: 'file', settle_seconds: 60 })
  model.drive.inspection = { format: 'csv', complete: 'unknown', writer: 'none', sample: '' }
  isBad = () => true
  model.write('log.csv')
  expect(await model.until(() => toCheck().count === 1)).toBe(true)
  expect(model.at('log.csv').state).toBe('growing')
}

test('an early report shows that Sluice will ask before it uploads the file', async () => {
  await reportEarly(HOLD)
  expect(cardOf('log.csv')).toMatchObject({ isHeld: false, willBeHeld: true })
  expect(await isHeld('log.csv')).toBe(true)
  expect(cardOf('log.csv')).toMatchObject({ isHeld: true, willBeHeld: false })
})

test('without "hold", an early report shows that Sluice will upload the file', async () => {
  await reportEarly({ ...HOLD, on_deviation: 'warn' })
  expect(cardOf('log.csv')).toMatchObject({ isHeld: false, willBeHeld: false })
})

test('a report that is dismissed before the file settles comes back when Sluice holds the file', async () => {
  await reportEarly(HOLD)
  actOnPaths(model.journal, { action: 'dismiss', paths: [] })
  expect(toCheck().count).toBe(0)
  expect(await isHeld('log.csv')).toBe(true)
  expect(toCheck()).toMatchObject({ count: 1, held: 1, newest: [{ name: 'log.csv', isHeld: true }] })
})

test.each([
  ['in the window', () => commands.dismiss(model.journal, model.at('bag/bag_1.mcap'))],
  ['by the path of the reported file', () => dismissPaths('bag/bag_1.mcap')],
  ['by the path of the added file', () => dismissPaths('bag/bag_2.mcap')],
  ['by the path of the take', () => dismissPaths('bag')],
  ['with --all', () => dismissPaths()],
])(
  'a file that is added to a dismissed take needs a new decision, and a dismissal %s applies to the whole take',
  async (_, dismiss) => {
    await dismissBag()
    model.write('bag/bag_2.mcap')
    expect(await isHeld('bag/bag_2.mcap')).toBe(true)
    expect(problemOf('bag/bag_2.mcap')?.endsBy).toBe('person')
    expect(toCheck()).toMatchObject({ count: 1, newest: [{ name: 'bag_1.mcap', isHeld: true }] })
    dismiss()
    await hours(3)
    expect(toCheck().count).toBe(0)
    expectDismissed([...FILES, 'bag/bag_2.mcap'])
  },
)

test('the decision to upload a take also applies to files that Sluice inspects later', async () => {
  isBad = (path) => path.endsWith('.mcap')
  isSlow = (path) => path.endsWith('bag_0.mcap')
  writeBag()
  expect(await isHeld('bag/bag_1.mcap')).toBe(true)
  expect(await model.until(() => finishInspection !== null)).toBe(true)
  commands.retry(model.journal, model.at('bag/bag_1.mcap'))
  finishInspection?.()
  expect(await model.areProcessed()).toBe(true)
  expect(model.journal.inspections.deviationsOf(model.at('bag/bag_0.mcap').id)).toHaveLength(1)
  expect(toCheck().count).toBe(0)
})

test('the decision to upload a take ends the wait for its inspections', async () => {
  isSlow = (path) => path.endsWith('bag_0.mcap')
  writeBag()
  expect(await isHeld('bag/bag_1.mcap')).toBe(true)
  commands.retry(model.journal, model.at('bag/bag_1.mcap'))
  expect(await model.areProcessed()).toBe(true)
})

test('the dismissal of a take also applies to files that Sluice inspects later', async () => {
  isBad = (path) => path.endsWith('.mcap')
  isSlow = (path) => path.endsWith('bag_0.mcap')
  writeBag()
  expect(await isHeld('bag/bag_0.mcap')).toBe(true)
  expect(await model.until(() => finishInspection !== null)).toBe(true)
  commands.dismiss(model.journal, model.at('bag/bag_1.mcap'))
  finishInspection?.()
  await hours(3)
  expect(model.journal.inspections.deviationsOf(model.at('bag/bag_0.mcap').id)).toHaveLength(1)
  expect(toCheck().count).toBe(0)
  expectDismissed(FILES)
})

test('a dismissed take stays on this PC after its bad file was deleted', async () => {
  await dismissBag()
  model.drive.remove(model.at('bag/bag_1.mcap').path)
  model.hint()
  await hours(3)
  expect(model.at('bag/bag_1.mcap').state).toBe('gone')
  expectDismissed(['bag/bag_0.mcap', 'bag/metadata.yaml'])
})

test('if the bad file of a dismissed take is replaced, the other files stay dismissed until a user uploads them', async () => {
  await dismissBag()
  isBad = () => false
  model.write('bag/bag_1.mcap', 'recorded again')
  expect(await model.until(() => model.at('bag/bag_1.mcap').state === 'processed')).toBe(true)
  await hours(3)
  expectDismissed(['bag/bag_0.mcap', 'bag/metadata.yaml'])
  commands.retry(model.journal, model.at('bag/bag_0.mcap'))
  expect(await model.areProcessed()).toBe(true)
})

test('a dismissed take stays on this PC if `on_deviation` is no longer "hold"', async () => {
  await dismissBag()
  model.configure({ on_deviation: 'warn' })
  await hours(3)
  expectDismissed(FILES)
  commands.retry(model.journal, model.at('bag/bag_0.mcap'))
  expect(await model.areProcessed()).toBe(true)
})

test('the decision to upload a dismissed take lasts, even if the take must wait again', async () => {
  await dismissBag()
  commands.retry(model.journal, model.at('bag/bag_1.mcap'))
  // Makes the take wait, as a new file would.
  const { id } = model.at('bag/bag_0.mcap')
  model.journal.recordings.patch(id, { nextAttemptAtMs: model.nowMs + 60_000 })
  expect(await model.areProcessed()).toBe(true)
})

test.each(['file-busy', 'file-unreadable'] as const)(
  'a dismissed take stays on this PC after its files could not be read for a while (%s)',
  async (kind) => {
    await dismissBag()
    model.configure({ on_deviation: 'warn' })
    model.drive.fate = (call) => (call === 'identify' ? { kind, code: 'EIO', detail: 'timeout' } : null)
    await hours(5)
    expectDismissed(FILES)
    model.drive.fate = () => null
    await hours(5)
    expectDismissed(FILES)
  },
)

test('a dismissal lasts even if the hasher fails to read the file at the same moment', async () => {
  await holdBag()
  let isDismissed = false
  model.drive.fate = (call, path) => {
    if (call !== 'identify') return null
    if (!isDismissed) commands.dismiss(model.journal, model.recordingAt(path))
    isDismissed = true
    return { kind: 'file-busy', code: 'EIO', detail: 'timeout' }
  }
  await hours(2)
  expect(isDismissed).toBe(true)
  model.drive.fate = () => null
  await hours(3)
  expect(toCheck().count).toBe(0)
  expectDismissed(FILES)
})

test('a dismissed take stays on this PC if its folder is removed from the settings and added again', async () => {
  await dismissBag()
  removeFolder()
  await hours(3)
  expectDismissed(FILES)
  applyFolder({ on_deviation: 'warn' })
  await hours(3)
  expectDismissed(FILES)
  commands.retry(model.journal, model.at('bag/bag_0.mcap'))
  expect(await model.areProcessed()).toBe(true)
})

const ignoreLog = async () => {
  model.configure({ take: 'file' })
  model.damage('log.csv')
  model.write('log.csv')
  expect(await model.until(() => problemOf('log.csv')?.code === 'file-busy')).toBe(true)
  commands.ignore(model.journal, model.at('log.csv'))
  model.drive.fate = () => null
}
const expectLogIgnored = () => {
  expect(model.at('log.csv')).toMatchObject({ sessionId: null, problem: { endsBy: 'dismissed' } })
  expect(isIgnored(model.at('log.csv'))).toBe(true)
}

test('an ignored recording stays ignored if its folder is removed from the settings and added again', async () => {
  await ignoreLog()
  removeFolder()
  applyFolder({ take: 'file' })
  await hours(3)
  expectLogIgnored()
})

test('an ignored recording stays ignored after the clock was set back', async () => {
  await ignoreLog()
  await hours(1)
  model.wallShiftMs = -86_400_000
  await hours(3)
  expectLogIgnored()
})

test('a recording that was ignored while the clock was ahead stays ignored', async () => {
  model.wallShiftMs = 86_400_000
  await ignoreLog()
  model.wallShiftMs = 0
  model.restart()
  await hours(3)
  expectLogIgnored()
})

test('if a user undoes a dismissal while the folder is not in the settings, Sluice asks again once the folder is back', async () => {
  await dismissBag()
  removeFolder()
  expect(commands.undoDismissal(model.journal, model.at('bag/bag_0.mcap'))).toBe(true)
  await hours(3)
  for (const name of FILES) expect(problemOf(name)?.code).toBe('folder-removed')
  applyFolder(HOLD)
  for (const name of FILES) expect(await isHeld(name)).toBe(true)
  await hours(3)
  for (const name of FILES) expect(model.at(name)).toMatchObject({ state: 'queued', sessionId: null })
})

test('the decision to upload a dismissed take applies once its folder is in the settings again', async () => {
  await dismissBag()
  removeFolder()
  commands.retry(model.journal, model.at('bag/bag_0.mcap'))
  await hours(3)
  for (const name of FILES) expect(model.at(name).sessionId).toBeNull()
  applyFolder(HOLD)
  expect(await model.areProcessed()).toBe(true)
})

const rename = (from: string, to: string) => {
  for (const name of FILES)
    model.drive.rename(`${FOLDER}/${name}`, `${FOLDER}/${name.replace(`${from}/`, `${to}/`)}`)
  model.hint()
}
const touch = (name: string, changes: object) => {
  const path = `${FOLDER}/${name}`
  const file = model.drive.at(path)!
  model.drive.put(path, { ...file, identity: { ...file.identity, ...changes } })
}
test.each([
  ['gets new permissions', { ctimeNs: '1900000000000000000' }],
  ['is on a drive that is plugged in again', { device: '7' }],
])('a dismissed take stays on this PC if it %s', async (_, changes) => {
  await dismissBag()
  model.configure({ on_deviation: 'warn' })
  for (const name of FILES) touch(name, changes)
  model.hint()
  await hours(3)
  expectDismissed(FILES)
  commands.retry(model.journal, model.at('bag/bag_0.mcap'))
  expect(await model.areProcessed()).toBe(true)
})

test('a dismissed take stays on this PC if the hasher notices new permissions before a scan does', async () => {
  await dismissBag()
  model.configure({ on_deviation: 'warn' })
  const listing = FILES.map((name) => ({
    path: `${FOLDER}/${name}`,
    identity: model.drive.at(`${FOLDER}/${name}`)!.identity,
  }))
  for (const name of FILES) touch(name, { ctimeNs: '1900000000000000000' })
  model.drive.listOnce(listing)
  await hours(3)
  expectDismissed(FILES)
})

const VIEW = { service: null, sending: true }
test.each<[string, () => unknown]>([
  ['a restart', () => model.restart()],
  ['new settings that end other holds', () => model.journal.recordings.retryHeld(endings)],
  ['"Try all now"', () => new RecordingActions(model.journal, () => VIEW).retryProblem('take-held')],
  ['an inspection that finds no deviation', () => releaseInspectedTake(model.journal, model.at(FILES[0]!))],
  ['a clock that was set back', () => model.journal.waits.shorten(3_600_000)],
  ['a start that removes waits in the future', () => model.journal.waits.forgetFuture()],
  [
    'a change to `take: file`',
    () => model.journal.takes.assign({ ...model.settings.folders[0]!, take: 'file' }),
  ],
  ['a rename', () => rename('bag', 'run')],
  ['a new file of the take', () => model.write('bag/bag_2.mcap')],
])('a dismissed take stays on this PC after %s', async (_, disturb) => {
  await dismissBag()
  const ids = FILES.map((name) => model.at(name).id)
  model.configure({ on_deviation: 'warn' })
  await disturb()
  await hours(3)
  for (const id of ids) expect(model.journal.recordings.byId(id)).toMatchObject(DISMISSED)
})

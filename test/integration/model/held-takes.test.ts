import { afterEach, beforeEach, expect, test } from 'vitest'
import * as commands from '../../../main/agent/calls/commands.ts'
import { actOnPaths } from '../../../main/agent/calls/path-commands.ts'
import { done } from '../../../main/agent/domain/failure.ts'
import type { InspectionThread } from '../../../main/agent/ports/inspection.ts'
import { applyFolders } from '../../../main/agent/stage/removed-folders.ts'
import { statusReport } from '../../../main/agent/status/status-report.ts'
import { linuxPaths } from '../../../shared/paths/paths.ts'
import { settingsSchema } from '../../../shared/settings/settings.ts'
import type { Inspection } from '../../../shared/status/inspection.ts'
import { FOLDER, ModelStation } from '../../support/model/station.ts'

const BAD = `${FOLDER}/bad.mcap`
const GOOD = `${FOLDER}/good.mcap`
const HOUR_MS = 3_600_000

const inspectionWith = (...names: readonly string[]): Inspection => ({
  format: 'mcap',
  completeness: 'complete',
  startedAtMs: 0,
  endedAtMs: 10_000,
  durationS: 10,
  channels: names.map((name) => ({ name, type: null, messages: 300, rateHz: 30, largestGapS: 0.1 })),
  warnings: [],
})

let model: ModelStation
const configure = (folder: object) => {
  model.settings = settingsSchema.parse({
    ...model.settings,
    folders: [{ path: FOLDER, site: 'lab', ...folder }],
  })
}
const react = (on_deviation: 'off' | 'warn' | 'hold') =>
  configure({ on_deviation, expect: { channels: [{ name: '/wrist' }] } })
const inspectBy = (inspect: InspectionThread['inspect']) =>
  Object.assign(model.drive.inspectionThread, { inspect })
beforeEach(() => {
  model = new ModelStation()
  react('hold')
  inspectBy(async ({ path }) => done(inspectionWith(...(path === GOOD ? ['/wrist', '/imu'] : ['/imu']))))
})
afterEach(() => model.closeAndExpectNoBugs())

const at = (path: string) => model.recordings().find((recording) => recording.path === path)!
const isHeld = () => model.until(() => model.recordings().length > 0 && at(BAD).problem?.code === 'take-held')
const record = (path: string) => model.drive.write(path, path, 10_000)
const hours = async (count: number) => {
  for (let hour = 0; hour < count; hour += 1) {
    await model.pass(HOUR_MS)
    await model.round()
  }
}

test('a recording that deviates waits for a decision, and nothing of it is sent', async () => {
  record(BAD)
  expect(await isHeld()).toBe(true)
  await hours(5)
  expect(at(BAD)).toMatchObject({
    state: 'queued',
    sessionId: null,
    problem: {
      code: 'take-held',
      endsBy: 'person',
      sentence: 'The recording waits for your decision. (/wrist is missing.)',
    },
  })
  expect(model.journal.inspections.toCheck(5)).toMatchObject({
    count: 1,
    held: 1,
    newest: [{ isHeld: true }],
  })
})

test('a good recording is uploaded, but does not release an earlier held one', async () => {
  record(BAD)
  expect(await isHeld()).toBe(true)
  record(GOOD)
  expect(await model.until(() => at(GOOD)?.state === 'processed')).toBe(true)
  await hours(3)
  expect(at(BAD)).toMatchObject({ state: 'queued', problem: { code: 'take-held' } })
})

test('a held recording stays held after a crash', async () => {
  record(BAD)
  expect(await isHeld()).toBe(true)
  model.restart()
  await hours(3)
  expect(at(BAD)).toMatchObject({ state: 'queued', problem: { code: 'take-held' } })
})

test('after the decision to upload, the recording is processed', async () => {
  record(BAD)
  expect(await isHeld()).toBe(true)
  commands.retry(model.journal, at(BAD))
  expect(await model.until(() => at(BAD).state === 'processed')).toBe(true)
  expect(model.journal.inspections.toCheck(5)).toMatchObject({ count: 0, held: 0 })
})

test('a dismissed recording stays on this PC, is not sent, and its dismissal can be undone', async () => {
  record(BAD)
  expect(await isHeld()).toBe(true)
  commands.dismiss(model.journal, at(BAD))
  expect(model.journal.inspections.toCheck(5).count).toBe(0)
  await hours(5)
  expect(at(BAD)).toMatchObject({ state: 'queued', problem: { code: 'take-held', endsBy: 'dismissed' } })
  expect(model.drive.contentOf(BAD)).toBe(BAD)
  expect(commands.undoDismissal(model.journal, at(BAD))).toBe(true)
  expect(model.journal.inspections.toCheck(5)).toMatchObject({ count: 1, held: 1 })
  commands.retry(model.journal, at(BAD))
  expect(await model.until(() => at(BAD).state === 'processed')).toBe(true)
})

test('the upload waits for the inspection', async () => {
  let finish: (() => void) | null = null
  inspectBy(
    () =>
      new Promise((resolve) => {
        finish = () => resolve(done(inspectionWith('/wrist')))
      }),
  )
  record(GOOD)
  expect(await model.until(() => finish !== null)).toBe(true)
  for (let n = 0; n < 20; n += 1) {
    await model.pass(1_000)
    await model.round()
  }
  expect(at(GOOD)).toMatchObject({ state: 'queued', problem: null, sessionId: null })
  finish!()
  expect(await model.until(() => at(GOOD).state === 'processed')).toBe(true)
})

test('a held recording that changes is inspected again, and uploaded if it is as expected', async () => {
  record(BAD)
  expect(await isHeld()).toBe(true)
  inspectBy(async () => done(inspectionWith('/wrist')))
  model.drive.write(BAD, 'repaired', 12_000)
  expect(await model.until(() => at(BAD).state === 'processed')).toBe(true)
})

test('once `on_deviation` is no longer "hold", the held recordings of the folder are uploaded', async () => {
  record(BAD)
  expect(await isHeld()).toBe(true)
  react('warn')
  await hours(2)
  expect(await model.until(() => at(BAD).state === 'processed')).toBe(true)
})

test.each([
  ['warn', 1],
  ['off', 0],
] as const)('with `on_deviation: %s`, a recording that deviates is uploaded', async (reaction, reported) => {
  react(reaction)
  record(BAD)
  expect(await model.until(() => at(BAD)?.state === 'processed')).toBe(true)
  expect(await model.until(() => model.journal.inspections.of(at(BAD).id) !== null)).toBe(true)
  expect(model.journal.inspections.toCheck(5)).toMatchObject({ count: reported, held: 0 })
})

const pathOf = (number: number) => `${FOLDER}/take_${number}.mcap`
const isHeldOrSent = (number: number) =>
  model.until(
    () => at(pathOf(number))?.problem?.code === 'take-held' || at(pathOf(number))?.sessionId != null,
  )
/** Records six recordings with the channel `/wrist`. All later recordings lack it. */
const recordUsualContent = async () => {
  configure({ on_deviation: 'hold' })
  inspectBy(async ({ path }) =>
    done(inspectionWith(...(/_[1-6]\.mcap$/.test(path) ? ['/wrist', '/imu'] : ['/imu']))),
  )
  for (let n = 1; n <= 6; n += 1) {
    record(pathOf(n))
    expect(await model.until(() => at(pathOf(n))?.state === 'processed')).toBe(true)
  }
}
const recordDeviating = async (number: number) => {
  record(pathOf(number))
  expect(await isHeldOrSent(number)).toBe(true)
  return at(pathOf(number))
}

test('dismissed recordings do not count as usual content, so the next recording with the same deviation is held too', async () => {
  await recordUsualContent()
  for (const n of [11, 12, 13, 14]) {
    const held = await recordDeviating(n)
    expect(held).toMatchObject({ state: 'queued', sessionId: null, problem: { code: 'take-held' } })
    commands.dismiss(model.journal, held)
  }
})

test('after the decision to upload two recordings with the same deviation, the next one is uploaded too', async () => {
  await recordUsualContent()
  for (const n of [11, 12]) {
    commands.retry(model.journal, await recordDeviating(n))
    expect(await model.until(() => at(pathOf(n)).state === 'processed')).toBe(true)
  }
  record(pathOf(13))
  expect(await model.until(() => at(pathOf(13))?.state === 'processed')).toBe(true)
  expect(model.journal.inspections.toCheck(5).count).toBe(0)
})

test('held recordings do not become the usual content of their folder, however many there are', async () => {
  await recordUsualContent()
  for (let n = 11; n < 20; n += 1)
    expect(await recordDeviating(n)).toMatchObject({ sessionId: null, problem: { code: 'take-held' } })
})

test('Sluice reports no held recordings while their folder is not in the settings', async () => {
  const folderIs = (folder: object) => {
    configure(folder)
    model.restart()
    applyFolders(model.journal, model.settings.folders, linuxPaths)
  }
  const station = () => statusReport(model.journal, null).station
  record(BAD)
  expect(await isHeld()).toBe(true)
  expect(station()).toMatchObject({ takes_to_check: { count: 1 } })

  folderIs({ path: '/elsewhere' })
  await hours(3)
  expect(at(BAD).problem?.code).toBe('folder-removed')
  expect(station()).toMatchObject({
    takes_to_check: { count: 0, newest: [] },
    standings: { 'needs-attention': 0 },
  })
  expect(station().headline).not.toContain('not as expected')
  // No recording waits for a decision now, so `dismiss --all` dismisses none.
  expect(actOnPaths(model.journal, { action: 'dismiss', paths: [] }).done).toEqual([])

  folderIs({ on_deviation: 'hold', expect: { channels: [{ name: '/wrist' }] } })
  expect(await isHeld()).toBe(true)
  expect(station()).toMatchObject({ takes_to_check: { count: 1, newest: [{ held: true }] } })
})

import { afterEach, beforeEach, expect, test } from 'vitest'
import * as commands from '../../../main/agent/calls/commands.ts'
import { actOnPaths } from '../../../main/agent/calls/path-commands.ts'
import { done } from '../../../main/agent/domain/failure.ts'
import type { Inspection } from '../../../shared/status/inspection.ts'
import { BAG, METADATA, TakeStation } from '../../support/model/take-station.ts'

/** Sluice holds a take as a whole: it sends no file of the take before a user decides about the take. */

const FILES = ['bag/bag_0.mcap', 'bag/bag_1.mcap', 'bag/metadata.yaml']
const SPLIT_FILES = ['run_0.mcap', 'run_1.mcap']
const HOLD = { on_deviation: 'hold', expect: { format: 'mcap', channels: [{ name: '/wrist' }] } }

const inspectionOf = (path: string): Inspection => ({
  format: path.endsWith('.mcap') ? 'mcap' : 'other',
  completeness: 'complete',
  startedAtMs: 0,
  endedAtMs: 10_000,
  durationS: 10,
  channels: [
    {
      name: isBad(path) ? '/imu' : '/wrist',
      type: null,
      messages: 300,
      rateHz: 30,
      largestGapS: 0.1,
    },
  ],
  warnings: [],
})

let model: TakeStation
let isBad: (path: string) => boolean
beforeEach(() => {
  model = new TakeStation()
  model.configure(HOLD)
  isBad = (path) => path.endsWith('_1.mcap')
  Object.assign(model.drive.inspectionThread, {
    inspect: async ({ path }: { readonly path: string }) => done(inspectionOf(path)),
  })
})
afterEach(() => model.closeAndExpectNoBugs())

const hours = async (count: number) => {
  for (let hour = 0; hour < count; hour += 1) {
    await model.pass(3_600_000)
    await model.round()
  }
}
const areHeld = (files: readonly string[]) =>
  model.until(
    () =>
      model.recordings().length === files.length &&
      files.every((name) => model.at(name).problem?.code === 'take-held'),
  )
const holdBag = async () => {
  model.write('bag/bag_0.mcap')
  model.write('bag/bag_1.mcap')
  model.write('bag/metadata.yaml', METADATA)
  expect(await areHeld(FILES)).toBe(true)
}
const expectNothingSent = () => {
  expect(model.recordings().map(({ state }) => state)).toEqual(model.recordings().map(() => 'queued'))
  expect(model.service.sessions.size).toBe(0)
}

test('nothing of a take is sent while one of its files deviates, also after a crash', async () => {
  await holdBag()
  await hours(3)
  model.restart()
  await hours(3)
  expect(await areHeld(FILES)).toBe(true)
  expectNothingSent()
  expect(model.at('bag/bag_0.mcap').problem?.sentence).toBe(
    'The recording waits for your decision. (bag_1.mcap is not as expected: /wrist is missing.)',
  )
  expect(model.at('bag/bag_1.mcap').problem?.sentence).toBe(
    'The recording waits for your decision. (/wrist is missing.)',
  )
  expect(model.journal.inspections.toCheck(5)).toMatchObject({ count: 1, held: 1 })
})

test('a good file of a take waits until all its files are inspected', async () => {
  isBad = () => false
  let finish: (() => void) | null = null
  Object.assign(model.drive.inspectionThread, {
    inspect: ({ path }: { readonly path: string }) =>
      path.endsWith('bag_0.mcap')
        ? new Promise((resolve) => {
            finish = () => resolve(done(inspectionOf(path)))
          })
        : Promise.resolve(done(inspectionOf(path))),
  })
  model.write('bag/bag_0.mcap')
  model.write('bag/bag_1.mcap')
  model.write('bag/metadata.yaml', METADATA)
  expect(await model.until(() => finish !== null)).toBe(true)
  await model.passSeconds(90)
  expectNothingSent()
  finish!()
  expect(await model.areProcessed()).toBe(true)
})

test.each([
  ['the bad file', () => commands.retry(model.journal, model.at('bag/bag_1.mcap'))],
  ['a good file', () => commands.retry(model.journal, model.at('bag/bag_0.mcap'))],
  ['the take', () => actOnPaths(model.journal, { action: 'retry', paths: [BAG] })],
] as const)('the decision to upload %s uploads the whole take', async (_, decide) => {
  await holdBag()
  decide()
  expect(await model.areProcessed()).toBe(true)
  expect(model.journal.inspections.toCheck(5)).toMatchObject({ count: 0, held: 0 })
})

test('each file of a take shows the decision to upload once in its timeline', async () => {
  await holdBag()
  actOnPaths(model.journal, { action: 'retry', paths: [BAG] })
  for (const name of FILES) {
    const remarks = model.journal.views.timeline(model.at(name).id).map(({ reason }) => reason)
    expect(remarks.filter((reason) => reason === 'retried by user')).toHaveLength(1)
  }
})

test('a dismissed take stays on this PC as a whole, and one undo puts all its files on hold again', async () => {
  await holdBag()
  commands.dismiss(model.journal, model.at('bag/bag_1.mcap'))
  await hours(3)
  for (const name of FILES) expect(model.at(name).problem).toMatchObject({ endsBy: 'dismissed' })
  expectNothingSent()
  expect(model.journal.inspections.toCheck(5).count).toBe(0)
  expect(commands.undoDismissal(model.journal, model.at('bag/metadata.yaml'))).toBe(true)
  for (const name of FILES)
    expect(model.at(name).problem).toMatchObject({ code: 'take-held', endsBy: 'person' })
  expect(model.journal.inspections.toCheck(5)).toMatchObject({ count: 1, held: 1 })
})

test('a take whose bad file was replaced by a good one is uploaded', async () => {
  await holdBag()
  isBad = () => false
  model.write('bag/bag_1.mcap', 'recorded again')
  expect(await model.areProcessed()).toBe(true)
})

test('an ignored file does not hold back its take', async () => {
  await holdBag()
  commands.ignore(model.journal, model.at('bag/bag_1.mcap'))
  await hours(2)
  expect(await model.until(() => model.at('bag/bag_0.mcap').state === 'processed')).toBe(true)
  expect(model.at('bag/bag_1.mcap').state).toBe('queued')
})

test('a file that is ignored stays ignored when a later file of its take is inspected', async () => {
  await holdBag()
  commands.ignore(model.journal, model.at('bag/bag_0.mcap'))
  commands.retry(model.journal, model.at('bag/bag_1.mcap'))
  expect(await model.until(() => model.at('bag/bag_1.mcap').state === 'processed')).toBe(true)
  for (const [name, isNextBad] of [
    ['bag/bag_2.mcap', false],
    ['bag/bag_3.mcap', true],
  ] as const) {
    isBad = () => isNextBad
    model.write(name)
    await hours(3)
    expect(model.journal.inspections.of(model.at(name).id)).not.toBeNull()
    expect(model.at('bag/bag_0.mcap')).toMatchObject({ state: 'queued', problem: { endsBy: 'dismissed' } })
  }
})

test('a split recording is held and released as a whole', async () => {
  model.configure({ ...HOLD, take: 'split' })
  for (const name of SPLIT_FILES) model.write(name)
  expect(await areHeld(SPLIT_FILES)).toBe(true)
  await hours(2)
  expectNothingSent()
  commands.retry(model.journal, model.at('run_1.mcap'))
  expect(await model.areProcessed()).toBe(true)
})

test('once `on_deviation` is no longer "hold", the take is uploaded', async () => {
  await holdBag()
  model.configure({ on_deviation: 'warn' })
  await hours(2)
  expect(await model.areProcessed()).toBe(true)
})

import { afterEach, beforeEach, expect, test } from 'vitest'
import * as commands from '../../../main/agent/calls/commands.ts'
import { actOnPaths } from '../../../main/agent/calls/path-commands.ts'
import { done } from '../../../main/agent/domain/failure.ts'
import { Counters } from '../../../main/agent/status/counters.ts'
import type { Inspection } from '../../../shared/status/inspection.ts'
import { FOLDER } from '../../support/model/station.ts'
import { METADATA, TakeStation } from '../../support/model/take-station.ts'

/** The files of a dismissed take disappear, for example because a user moves them away, and return. */

const FILES = ['bag/bag_0.mcap', 'bag/bag_1.mcap', 'bag/metadata.yaml']
const HOLD = { on_deviation: 'hold', expect: { format: 'mcap', channels: [{ name: '/wrist' }] } }

let model: TakeStation
beforeEach(() => {
  model = new TakeStation()
  model.configure(HOLD)
  const inspect = async ({ path }: { readonly path: string }) => done(inspectionOf(path))
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
    {
      name: path.endsWith('_1.mcap') ? '/imu' : '/wrist',
      type: null,
      messages: 300,
      rateHz: 30,
      largestGapS: 0.1,
    },
  ],
  warnings: [],
})
const hours = async (count: number) => {
  for (let hour = 0; hour < count; hour += 1) {
    await model.pass(3_600_000)
    await model.round()
  }
}
const dismissBag = async () => {
  for (const name of FILES) model.write(name, name.endsWith('.yaml') ? METADATA : name)
  const areHeld = () =>
    model.recordings().length === FILES.length &&
    model.recordings().every(({ problem }) => problem?.code === 'take-held')
  expect(await model.until(areHeld)).toBe(true)
  commands.dismiss(model.journal, model.at('bag/bag_1.mcap'))
  await model.round()
}
const vanish = async () => {
  const files = FILES.map((name) => [`${FOLDER}/${name}`, model.drive.at(`${FOLDER}/${name}`)!] as const)
  for (const [path] of files) model.drive.remove(path)
  model.hint()
  const ids = FILES.map((name) => model.at(name).id)
  const areGone = () => ids.every((id) => model.journal.recordings.byId(id)?.state === 'gone')
  expect(await model.until(areGone)).toBe(true)
  return new Map(files)
}
test.each([
  ['under its name', 'bag', 'warn'],
  ['under its name', 'bag', 'hold'],
  ['under a new name', 'run', 'warn'],
])(
  'a dismissed take that vanishes and returns %s (%s, on_deviation: %s) stays on this PC',
  async (_, folder, on_deviation) => {
    await dismissBag()
    model.configure({ ...HOLD, on_deviation })
    const failures = new Counters(model.journal).failures
    const names = FILES.map((name) => name.replace('bag/', `${folder}/`))
    const files = await vanish()
    expect(failures.size).toBe(0)
    expect(actOnPaths(model.journal, { action: 'dismiss', paths: [] }).done).toEqual([])
    for (const [path, file] of files) model.drive.put(path.replace('/bag/', `/${folder}/`), file)
    model.hint()
    await hours(3)
    for (const name of names)
      expect(model.at(name)).toMatchObject({
        state: 'queued',
        sessionId: null,
        problem: { code: 'take-held', endsBy: 'dismissed' },
      })
    expect(model.journal.inspections.toCheck(5).count).toBe(0)
    commands.retry(model.journal, model.at(names[0]!))
    expect(await model.areProcessed()).toBe(true)
  },
)

test('a different file at the path of a dismissed file that vanished is a new recording', async () => {
  await dismissBag()
  model.configure({ on_deviation: 'warn' })
  await vanish()
  model.write('bag/bag_1.mcap', 'recorded again')
  expect(await model.until(() => model.at('bag/bag_1.mcap').state === 'processed')).toBe(true)
})

test('after the user decides to upload a dismissed take, its vanished files need no attention', async () => {
  await dismissBag()
  model.drive.remove(model.at('bag/bag_1.mcap').path)
  model.hint()
  expect(await model.until(() => model.at('bag/bag_1.mcap').state === 'gone')).toBe(true)
  commands.retry(model.journal, model.at('bag/bag_0.mcap'))
  expect(await model.until(() => model.at('bag/bag_0.mcap').state === 'processed')).toBe(true)
  expect(model.at('bag/bag_1.mcap').problem).toBeNull()
})

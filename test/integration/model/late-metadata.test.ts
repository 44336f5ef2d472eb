import { afterEach, beforeEach, expect, test } from 'vitest'
import * as commands from '../../../main/agent/calls/commands.ts'
import { done } from '../../../main/agent/domain/failure.ts'
import { FOLDER } from '../../support/model/station.ts'
import { METADATA, TakeStation } from '../../support/model/take-station.ts'

/**
 * A program that copies a rosbag2 folder may write `metadata.yaml` last, minutes after the bag files.
 */

const LAST = 'bag/bag_1.db3'
const LISTED = METADATA.replaceAll('.mcap', '.db3')
const OTHER = METADATA.replaceAll('.mcap', '.db3').replace('bag_1', 'bag_7')
const EXPECT = { expect: { channels: [{ name: '/imu' }] } }

let model: TakeStation
let beforeAnswer: () => Promise<void>
beforeEach(() => {
  model = new TakeStation()
  beforeAnswer = async () => {}
  const isCut = (path: string) =>
    path.endsWith(LAST) &&
    model.drive.contentOf(`${FOLDER}/bag/metadata.yaml`)?.includes('bag_1.db3') !== true
  Object.assign(model.drive.inspectionThread, {
    inspect: async ({ path }: { readonly path: string }) => {
      const completeness = isCut(path) ? 'cut-off' : 'complete'
      await beforeAnswer()
      return done({
        format: path.endsWith('.db3') ? 'rosbag2' : 'other',
        completeness,
        startedAtMs: 0,
        endedAtMs: 10_000,
        durationS: 10,
        channels: [{ name: '/imu', type: null, messages: 300, rateHz: 30, largestGapS: 0.1 }],
        warnings: [],
      })
    },
  })
})
afterEach(() => model.closeAndExpectNoBugs())

const completeness = () => model.journal.inspections.of(model.at(LAST).id)?.completeness
const reports = () => model.journal.inspections.toCheck(5).count
const reportNotes = () =>
  model.journal.activity
    .read({ groups: [], fromMs: null, toMs: null, before: null, limit: 100 })
    .filter(({ activity }) => activity.kind === 'take-deviates').length
const writeBag = async () => {
  model.write('bag/bag_0.db3')
  model.write(LAST)
  expect(await model.until(() => model.recordings().length === 2 && completeness() === 'cut-off')).toBe(true)
}

test.each(['file', 'folder'])(
  'a cut-off report disappears when the metadata shows that the file is complete (take: %s)',
  async (take) => {
    model.configure({ take, ...EXPECT })
    await writeBag()
    expect(reports()).toBe(1)
    model.write('bag/metadata.yaml', LISTED)
    expect(await model.until(() => completeness() === 'complete')).toBe(true)
    expect(reports()).toBe(0)
    expect(await model.areProcessed()).toBe(true)
  },
)

test.each(['file', 'folder'])(
  'Sluice releases a held cut-off file when the metadata shows that the file is complete (take: %s)',
  async (take) => {
    model.configure({ take, ...EXPECT, on_deviation: 'hold' })
    await writeBag()
    expect(await model.until(() => model.at(LAST).problem?.code === 'take-held')).toBe(true)
    model.write('bag/metadata.yaml', LISTED)
    expect(await model.areProcessed()).toBe(true)
    expect(completeness()).toBe('complete')
  },
)

test('a dismissed recording stays on this PC, although the metadata shows that it is complete', async () => {
  model.configure({ take: 'file', ...EXPECT, on_deviation: 'hold' })
  await writeBag()
  expect(await model.until(() => model.at(LAST).problem?.code === 'take-held')).toBe(true)
  commands.dismiss(model.journal, model.at(LAST))
  model.write('bag/metadata.yaml', LISTED)
  expect(await model.until(() => completeness() === 'complete')).toBe(true)
  await model.passSeconds(60)
  expect(model.at(LAST)).toMatchObject({ state: 'queued', problem: { endsBy: 'dismissed' } })
})

test('metadata that does not list the file keeps the report, and corrected metadata ends it', async () => {
  model.configure({ take: 'file', ...EXPECT })
  await writeBag()
  model.write('bag/metadata.yaml', OTHER)
  await model.passSeconds(30)
  expect(completeness()).toBe('cut-off')
  expect(reports()).toBe(1)
  expect(reportNotes()).toBe(1)
  model.write('bag/metadata.yaml', LISTED)
  expect(await model.until(() => completeness() === 'complete')).toBe(true)
  expect(reports()).toBe(0)
})

test('an inspection that runs while the metadata appears is repeated', async () => {
  model.configure({ take: 'file', ...EXPECT })
  let isLate = false
  beforeAnswer = async () => {
    if (isLate || model.recordings().length < 2) return
    isLate = true
    model.write('bag/metadata.yaml', LISTED)
    const path = `${FOLDER}/bag/metadata.yaml`
    const { identity } = model.drive.at(path)!
    model.journal.recordings.add({ path, identity }, model.settings.folders[0]!, { findSessionFirst: false })
  }
  model.write('bag/bag_0.db3')
  model.write(LAST)
  expect(await model.until(() => model.recordings().length === 3 && completeness() !== undefined)).toBe(true)
  expect(completeness()).toBe('complete')
})

test('a file counts as cut off until its metadata appears', async () => {
  for (const name of ['bag_0.mcap', 'bag_1.mcap']) model.write(`bag/${name}`)
  const of = () => model.journal.inspections.of(model.at('bag/bag_1.mcap').id)?.completeness
  expect(await model.until(() => model.recordings().length === 2 && of() === 'cut-off')).toBe(true)
  model.write('bag/metadata.yaml', METADATA)
  expect(await model.until(() => of() === 'complete')).toBe(true)
})

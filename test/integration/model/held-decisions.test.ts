import { afterEach, beforeEach, expect, test } from 'vitest'
import { done } from '../../../main/agent/domain/failure.ts'
import { createFolderOf } from '../../../main/agent/stage/folder-of.ts'
import { takeSnapshot } from '../../../main/agent/status/snapshot.ts'
import { linuxPaths } from '../../../shared/paths/paths.ts'
import type { Inspection } from '../../../shared/status/inspection.ts'
import { calmSources, quietOutlook } from '../../support/calm-snapshot.ts'
import { TakeStation } from '../../support/model/take-station.ts'

/** A decision about a held recording lasts, and a held recording without a decision is shown. */

const HOLD = { on_deviation: 'hold', expect: { format: 'mcap', channels: [{ name: '/wrist' }] } }

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
const isKnown = (name: string) => model.recordings().some(({ path }) => path.endsWith(`/${name}`))
const problemOf = (name: string) => (isKnown(name) ? model.at(name).problem : null)
const isHeld = (name: string) => model.until(() => problemOf(name)?.code === 'take-held')
const toCheck = () => model.journal.inspections.toCheck(5)
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

test('an early report says that Sluice will ask before it uploads the file', async () => {
  await reportEarly(HOLD)
  expect(cardOf('log.csv')).toMatchObject({ isHeld: false, willBeHeld: true })
  expect(await isHeld('log.csv')).toBe(true)
  expect(cardOf('log.csv')).toMatchObject({ isHeld: true, willBeHeld: false })
})

test('a report from a folder without "hold" says that Sluice uploads the file', async () => {
  await reportEarly({ ...HOLD, on_deviation: 'warn' })
  expect(cardOf('log.csv')).toMatchObject({ isHeld: false, willBeHeld: false })
})

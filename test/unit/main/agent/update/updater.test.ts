import { afterEach, beforeEach, expect, test } from 'vitest'
import { LyingFeed } from '../../../../support/updates/lying-feed.ts'
import { UpdatingStation } from '../../../../support/updates/updating-station.ts'

const SETUP = 'Sluice-Setup-1.1.0-x64.exe'
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

let feed: LyingFeed
let station: UpdatingStation
beforeEach(async () => {
  feed = await LyingFeed.open()
  await feed.publish(SETUP)
  station = new UpdatingStation([feed.key.line])
  station.installs()
})
afterEach(async () => {
  station.close()
  await feed.close()
})

test('without a feed, or if updates are off, Sluice sends no request', async () => {
  await station.step(2)
  station.set({ mode: 'off', feed: feed.url })
  await station.step(2)
  expect(feed.requests).toEqual([])
  expect(station.sentences).toEqual([])
})

test('with a feed, the default is to report a newer version once and to install nothing', async () => {
  station.set({ feed: feed.url })
  await station.step(3)
  await station.pass(2 * HOUR_MS)
  expect(station.sentences).toEqual(['update-available: An update is available: version 1.1.0.'])
  expect(station.reports).toEqual(['condition-began update-available'])
  expect(station.memory.offered).toMatchObject({ version: '1.1.0', phase: 'available' })
  expect(feed.requests).toEqual(['feed.json', 'feed.json'])
})

test('a program that cannot install updates only reports them, even in mode `automatic`', async () => {
  const other = new UpdatingStation([feed.key.line])
  other.set({ mode: 'automatic', feed: feed.url })
  await other.step(3)
  expect(other.sentences).toEqual(['update-available: An update is available: version 1.1.0.'])
  expect(feed.requests).toEqual(['feed.json'])
  other.close()
})

test('waits until nothing is uploaded, then stops new parts and installs', async () => {
  station.set({ mode: 'automatic', feed: feed.url })
  station.isUploading = true
  await station.step(3)
  expect(station.sentences).toEqual([
    'update-waiting: An update is waiting: version 1.1.0 is ready to be installed.',
  ])
  expect(station.station.mayRequest()).toBe(true)
  await station.pass(HOUR_MS)
  expect(station.started).toEqual([])

  station.isUploading = false
  await station.step(2)
  expect(station.started).toHaveLength(1)
  expect(station.station.mayRequest()).toBe(false)
  expect(station.station.partGate()).toMatchObject({ kind: 'closed', partsInFlight: 'finish' })
})

test('installs after the maximum wait, once the parts in flight are sent', async () => {
  station.set({ mode: 'automatic', feed: feed.url, wait_at_most: '2h' })
  station.isUploading = true
  station.partsInFlight = 2
  await station.step()
  await station.pass(119 * MINUTE_MS)
  expect(station.sentences.join()).not.toContain('update-installing')
  await station.pass(MINUTE_MS)
  expect(station.sentences.join()).toContain('update-installing')
  expect(station.started).toEqual([])
  station.partsInFlight = 0
  await station.step()
  expect(station.started).toHaveLength(1)
})

test('a part that hangs does not delay the update forever', async () => {
  station.set({ mode: 'automatic', feed: feed.url, wait_at_most: '0h' })
  station.isUploading = true
  station.partsInFlight = 1
  await station.step(2)
  expect(station.started).toEqual([])
  await station.pass(11 * MINUTE_MS)
  expect(station.started).toHaveLength(1)
})

test('installs only in the update hours, and continues to upload until then', async () => {
  const at = new Date(station.nowMs)
  const hours = (offset: number) => `${String((at.getHours() + offset + 24) % 24).padStart(2, '0')}:00`
  station.set({
    mode: 'automatic',
    feed: feed.url,
    wait_at_most: '0h',
    hours: [{ from: hours(2), to: hours(3) }],
  })
  await station.step(3)
  expect(station.started).toEqual([])
  expect(station.station.mayRequest()).toBe(true)
  await station.pass(2 * HOUR_MS)
  await station.step()
  expect(station.started).toHaveLength(1)
})

test('after a restart, the maximum wait does not start again, and nothing is downloaded again', async () => {
  station.set({ mode: 'automatic', feed: feed.url, wait_at_most: '2h' })
  station.isUploading = true
  await station.step(2)
  station.nowMs += 2 * HOUR_MS
  station.boot()
  await station.step(2)
  expect(station.started).toHaveLength(1)
  expect(feed.requests.filter((name) => name === SETUP)).toHaveLength(1)
})

test('the new version reports success after it ran for two minutes', async () => {
  station.set({ mode: 'automatic', feed: feed.url })
  await station.step(2)
  station.boot({ version: '1.1.0' })
  await station.step()
  expect(station.memory).toMatchObject({ lastResult: null, offered: null, attempt: { version: '1.1.0' } })
  await station.pass(3 * MINUTE_MS)
  expect(station.memory).toMatchObject({ lastResult: { version: '1.1.0', ok: true }, attempt: null })
  expect(station.sentences).toEqual([])
})

test('reports once that an installer did not replace the program, and tries again after a day', async () => {
  station.set({ mode: 'automatic', feed: feed.url })
  await station.step(2)
  await station.pass(5 * MINUTE_MS)
  expect(station.memory.lastResult).toBeNull()
  await station.pass(11 * MINUTE_MS)
  await station.pass(2 * HOUR_MS)
  expect(station.sentences).toEqual([
    'update-failed: The last update failed: the installer of version 1.1.0 did not replace version 1.0.0.',
  ])
  expect(station.station.mayRequest()).toBe(true)
  expect(station.reports.filter((report) => report.includes('update-failed'))).toHaveLength(1)
  expect(station.started).toHaveLength(1)
  await station.pass(24 * HOUR_MS)
  await station.step(2)
  expect(station.started).toHaveLength(2)
})

test('if the update task is missing, Sluice reports this once, and installs once the task is registered', async () => {
  station.isTaskRegistered = false
  station.set({ mode: 'automatic', feed: feed.url })
  await station.step(2)
  for (let hour = 0; hour < 50; hour += 1) await station.pass(HOUR_MS)
  expect(station.sentences).toEqual([
    'update-task-missing: Sluice cannot install version 1.1.0: Windows has no task “Sluice Update”.',
  ])
  expect(station.reports).toEqual(['condition-began update-task-missing'])
  expect(station.memory).toMatchObject({
    offered: { version: '1.1.0', phase: 'available' },
    lastResult: null,
  })
  expect(feed.requests).not.toContain(SETUP)

  station.isTaskRegistered = true
  await station.pass(2 * HOUR_MS)
  await station.step()
  expect(station.started).toHaveLength(1)
})

test('while the feed is unreachable, Sluice keeps the report of a newer version and adds no second one', async () => {
  station.set({ feed: feed.url })
  await station.step(2)
  await feed.close()
  for (let hour = 0; hour < 5; hour += 1) await station.pass(HOUR_MS)
  expect(station.reports).toEqual(['condition-began update-available'])
  feed = await LyingFeed.open()
})

test('if the installer cannot start, the old version reports the reason and continues to upload', async () => {
  station.set({ mode: 'automatic', feed: feed.url })
  station.startError = new Error('access denied')
  await station.step(2)
  expect(station.sentences.join()).toContain('could not start: access denied.')
  expect(station.station.mayRequest()).toBe(true)
})

test('a station on a different channel, or outside the percentage in its settings, reports no update', async () => {
  station.set({ feed: feed.url, channel: 'beta' })
  await station.step()
  expect(station.sentences).toEqual([])
  station.set({ feed: feed.url, percent: 0 })
  await station.step()
  expect(station.sentences).toEqual([])
  station.set({ feed: feed.url, percent: 100 })
  await station.step()
  expect(station.sentences).toHaveLength(1)
})

test('offers the pinned version although a newer one exists', async () => {
  await feed.publish('Sluice-Setup-1.2.0-x64.exe')
  station.set({ feed: feed.url, version: '1.1.0' })
  await station.step()
  expect(station.memory.offered?.version).toBe('1.1.0')
})

test('keeps only the download that may be installed', async () => {
  station.set({ mode: 'automatic', feed: feed.url })
  station.isUploading = true
  await station.step(2)
  expect(station.files).toEqual([SETUP, 'feed.json'])
  const next = 'Sluice-Setup-1.2.0-x64.exe'
  await feed.publish(next)
  await station.pass(2 * HOUR_MS)
  await station.step(2)
  expect(station.files).toEqual([next, 'feed.json'])
  station.set({ mode: 'automatic', feed: feed.url, channel: 'beta' })
  await station.step(2)
  expect(station.files).toEqual([])
})

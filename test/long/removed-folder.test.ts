import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { reasonsOf, waitForJournal } from '../support/journal-file.ts'
import { writeRandomFile } from '../support/kill-repeatedly.ts'
import { seeded } from '../support/seeded.ts'
import { PART, Station } from '../support/station.ts'

let station: Station
afterEach(() => station.close())

const random = seeded(23)
const pathOf = (name: string) => path.join(station.recordings, name)

/** Replaces the station's folder in the settings with `otherFolder`, or removes it. */
const replaceFolder = (otherFolder?: string) =>
  station.configure({
    rest: { folders: otherFolder === undefined ? [] : [{ path: otherFolder, site: 'lab' }] },
  })

const exitCodeOfCheck = async () => (await station.sluice('status', '--check')).code

test('a recording on hold counts as dismissed while its folder is not in the settings, and then continues', async () => {
  station = await Station.open()
  writeFileSync(pathOf('empty.bin'), '')
  expect(await station.runToIdle()).toBe(2)
  expect(await exitCodeOfCheck()).toBe(2)

  replaceFolder()
  expect(await station.agent('--until-idle', '--patience', '3').ended).toBe(0)
  expect(await exitCodeOfCheck()).toBe(0)
  const [heldRecording] = (await station.status()).recordings
  expect(heldRecording).toMatchObject({
    state: 'growing',
    standing: 'dismissed',
    problem: { code: 'folder-removed', endsBy: 'folder' },
  })
  expect((await station.sluice('status')).out).toContain('The folder was removed from the settings.')

  station.configure()
  writeFileSync(pathOf('empty.bin'), 'written after all')
  expect(await station.runToIdle()).toBe(0)
  await station.expectAllSafe()
})

test('a file that vanished before its folder was removed from the settings does not keep the agent running', async () => {
  station = await Station.open()
  station.configure({ folder: { settle_seconds: 600 } })
  const agent = station.agent()
  await writeRandomFile(pathOf('take.bin'), 1000, random)
  await waitForJournal(
    station.data,
    'the recording is found',
    "SELECT 1 FROM recordings WHERE state = 'growing'",
  )
  await agent.kill('SIGTERM')
  rmSync(pathOf('take.bin'))

  replaceFolder()
  expect(await station.agent('--until-idle', '--patience', '3').ended).toBe(0)
  expect(await exitCodeOfCheck()).toBe(0)
})

test('if a folder is removed from the settings, its unsent recordings wait, but an upload in progress is finished', async () => {
  station = await Station.open()
  await writeRandomFile(pathOf('sent.bin'), PART + 1, random)
  const longDelay = { kind: 'latency', ms: 600_000 }
  await station.fault({ route: 'put_part', match: { part: 2 }, count: 1, effect: longDelay })
  const agent = station.agent()
  await waitForJournal(station.data, 'one part is sent', 'SELECT 1 FROM parts WHERE etag IS NOT NULL')
  expect((await station.sluice('pause')).code).toBe(0)
  await writeRandomFile(pathOf('unsent.bin'), 1000, random)
  await waitForJournal(
    station.data,
    'the recording is hashed',
    "SELECT 1 FROM recordings WHERE state = 'ready'",
  )
  await agent.kill()
  expect((await station.sluice('resume')).code).toBe(0)

  replaceFolder()
  expect(await station.runToIdle()).toBe(0)
  const states = () => station.status().then(({ recordings }) => recordings.map(({ state }) => state))
  expect(await states()).toEqual(['processed', 'ready'])
  expect(await station.sessions()).toHaveLength(1)
  expect(reasonsOf(station.data, pathOf('unsent.bin'))).toContain('its folder was removed from the settings')

  station.configure()
  expect(await station.runToIdle()).toBe(0)
  await station.expectAllSafe()
})

test('a recording of a removed folder continues if its path is inside a different watched folder', async () => {
  station = await Station.open()
  const inner = pathOf('inner')
  mkdirSync(inner)
  station.configure({ folder: { path: inner, settle_seconds: 600 } })
  const agent = station.agent()
  await writeRandomFile(path.join(inner, 'take.bin'), 1000, random)
  await waitForJournal(
    station.data,
    'the recording is found',
    "SELECT 1 FROM recordings WHERE state = 'growing'",
  )
  await agent.kill('SIGTERM')

  station.configure()
  expect(await station.runToIdle()).toBe(0)
  await station.expectAllSafe()
})

test('a copy in a watched folder does not wait for the original in a removed folder', async () => {
  station = await Station.open()
  const agent = station.agent()
  expect((await station.sluice('pause')).code).toBeLessThan(2)
  await waitForJournal(station.data, 'the agent runs', "SELECT 1 FROM station WHERE key = 'told_running'")
  expect((await station.sluice('pause')).code).toBe(0)
  writeFileSync(pathOf('take.bin'), 'the same content')
  await waitForJournal(
    station.data,
    'the recording is hashed',
    "SELECT 1 FROM recordings WHERE state = 'ready'",
  )
  await agent.kill('SIGTERM')
  expect((await station.sluice('resume')).code).toBe(0)

  const otherFolder = path.join(station.root, 'other')
  mkdirSync(otherFolder)
  writeFileSync(path.join(otherFolder, 'copy.bin'), 'the same content')
  replaceFolder(otherFolder)
  expect(await station.runToIdle()).toBe(0)
  expect(await station.sessions()).toHaveLength(1)
})

test('a folder that is renamed, and has its new path in the settings, keeps its recordings', async () => {
  station = await Station.open()
  await writeRandomFile(pathOf('safe.bin'), 1000, random)
  expect(await station.runToIdle()).toBe(0)
  const renamed = path.join(path.dirname(station.recordings), 'renamed')
  renameSync(station.recordings, renamed)
  replaceFolder(renamed)
  expect(await station.runToIdle()).toBe(0)
  const { recordings } = await station.status()
  expect(recordings).toMatchObject([{ path: path.join(renamed, 'safe.bin'), state: 'processed' }])
})

test('recordings whose drive is missing do not keep the agent running', async () => {
  station = await Station.open()
  await writeRandomFile(pathOf('sent.bin'), PART + 1, random)
  const longDelay = { kind: 'latency', ms: 600_000 }
  await station.fault({ route: 'put_part', match: { part: 2 }, count: 1, effect: longDelay })
  const agent = station.agent()
  await waitForJournal(station.data, 'one part is sent', 'SELECT 1 FROM parts WHERE etag IS NOT NULL')
  await agent.kill('SIGKILL')
  const away = path.join(path.dirname(station.recordings), 'away')
  renameSync(station.recordings, away)
  expect(await station.agent('--until-idle', '--patience', '3').ended).toBe(2)
  renameSync(away, station.recordings)
  expect(await station.runToIdle()).toBe(0)
  await station.expectAllSafe()
})

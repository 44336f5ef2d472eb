import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { identifyFile } from '../../main/agent/platform/files/file-inspect.ts'
import { windowsPaths } from '../../shared/paths/paths.ts'
import { waitForJournal } from '../support/journal-file.ts'
import { writeRandomFile } from '../support/kill-repeatedly.ts'
import { needs } from '../support/needs.ts'
import { seeded } from '../support/seeded.ts'
import { Station, until } from '../support/station.ts'
import { emptyDrive, useEmptyDrive } from './empty-drive.ts'

let station: Station
afterEach(() => station.close())

const random = seeded(8)
const folder = (at: string, settings: object = {}) => ({
  path: at,
  site: 'lab',
  settle_seconds: 0.3,
  ...settings,
})
const watch = (...folders: readonly object[]) => station.configure({ rest: { folders } })

test.each([
  ['the case of its letters', (at: string) => at.toUpperCase()],
  ['the case of its drive', (at: string) => at[0]!.toLowerCase() + at.slice(1)],
  ['a separator at its end', (at: string) => `${at}\\`],
  ['forward slashes', (at: string) => at.replaceAll('\\', '/')],
  ['a longer form', (at: string) => `\\\\?\\${at}`],
])(
  'refuses, with one sentence, two spellings of one folder that differ in %s',
  async (_difference, respell) => {
    station = await Station.open()
    watch(folder(station.recordings), folder(respell(station.recordings)))
    const agent = station.agent('--until-idle')
    expect(await agent.ended).toBe(1)
    expect(agent.stderr).toMatch(
      /folders\[1\]\.path: (?:This folder is already watched|Two spellings of one folder)/,
    )
    expect(agent.stderr).not.toMatch(/^\s+at /m)
  },
)

test('reads a recording by a path with the prefix `\\\\?\\`', async () => {
  station = await Station.open()
  const file = path.join(station.recordings, 'Take.bin')
  await writeRandomFile(file, 900, random)
  expect(await identifyFile(windowsPaths.toOpen(file), station.recordings)).toMatchObject({
    ok: true,
    value: { sizeBytes: 900 },
  })
})

test('lists and uploads no recording a second time after the settings spell its folder differently', async () => {
  station = await Station.open()
  await writeRandomFile(path.join(station.recordings, 'Take.bin'), 900, random)
  expect(await station.runToIdle()).toBe(0)
  watch(folder(station.recordings.toUpperCase()))

  expect(await station.runToIdle()).toBe(0)

  expect((await station.status()).recordings).toHaveLength(1)
  expect(await station.sessions()).toHaveLength(1)
})

test('a folder inside a watched folder keeps its own settings, even if they spell its path in another case', async () => {
  station = await Station.open()
  const inner = path.join(station.recordings, 'Inner')
  mkdirSync(inner)
  await writeRandomFile(path.join(inner, 'kept.bin'), 900, random)
  await writeRandomFile(path.join(inner, 'left-out.raw'), 901, random)
  watch(folder(station.recordings), folder(inner.toUpperCase(), { exclude: ['*.raw'] }))

  expect(await station.runToIdle()).toBe(0)

  expect((await station.sessions()).map(({ filename }) => filename)).toEqual(['kept.bin'])
})

test('finds a recording by a path typed in a different letter case', async () => {
  station = await Station.open()
  const file = path.join(station.recordings, 'Take.bin')
  station.agent()
  await until('the agent runs', async () => (await station.command('pause')).code === 0)
  await writeRandomFile(file, 900, random)
  // Before this and after the upload, `prioritise` would refuse the recording.
  await waitForJournal(
    station.data,
    'the recording waits for its upload',
    "SELECT 1 FROM recordings WHERE state = 'ready'",
  )

  const { code, err } = await station.command('prioritise', file.toLowerCase())

  expect([code, err]).toEqual([0, ''])
  await waitForJournal(
    station.data,
    'the recording is prioritised',
    'SELECT 1 FROM recordings WHERE prioritised = 1',
  )
})

test(
  'watches a whole drive, except the folders that Windows itself keeps on it',
  needs(emptyDrive),
  async () => {
    station = await Station.open()
    const drive = useEmptyDrive()
    const put = async (name: string) => {
      const file = path.join(drive.root, name)
      mkdirSync(path.dirname(file), { recursive: true })
      await writeRandomFile(file, 700 + name.length, random)
    }
    try {
      for (const name of ['top.bin', 'Inner/kept.bin', 'Inner/left-out.raw', '$Recycle.Bin/S-1-5-21/$R1.bin'])
        await put(name)
      await put('System Volume Information/tracking.log')
      watch(folder(drive.root), folder(path.join(drive.root, 'Inner'), { exclude: ['*.raw'] }))

      expect(await station.runToIdle()).toBe(0)

      const { recordings } = await station.status()
      expect(recordings.map(({ path: at }) => at).sort()).toEqual([
        path.join(drive.root, 'Inner', 'kept.bin'),
        path.join(drive.root, 'top.bin'),
      ])
      await station.expectAllSafe()
    } finally {
      drive.clear()
    }
  },
)

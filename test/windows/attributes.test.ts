import { mkdirSync } from 'node:fs'
import path from 'node:path'
import koffi from 'koffi'
import { afterEach, expect, test } from 'vitest'
import { writeRandomFile } from '../support/kill-repeatedly.ts'
import { seeded } from '../support/seeded.ts'
import { Station, until } from '../support/station.ts'

let station: Station
afterEach(() => station.close())

const fileOf = (name: string) => path.join(station.recordings, name)
const record = (name: string, seed: number) => writeRandomFile(fileOf(name), 700 + seed, seeded(seed))

const NORMAL = 0x80
const HIDDEN = 0x2
const SYSTEM = 0x4

/** Calls Windows itself, because Wine's `attrib +h +s` sets only one of the two attributes. */
const mark = (name: string, attributes: number): void => {
  const set = koffi
    .load('kernel32.dll')
    .func('int32_t __stdcall SetFileAttributesW(const char16_t *name, uint32_t attributes)')
  expect(set(fileOf(name), attributes)).toBe(1)
}

const knownFiles = async () => {
  const { recordings } = await station.status()
  return recordings.map(({ path: at }) => path.relative(station.recordings, at)).sort()
}

test('treats hidden files like files whose name begins with a dot, and never uploads hidden system files', async () => {
  station = await Station.open()
  for (const folder of ['Cache', 'Restore', 'With icon']) mkdirSync(fileOf(folder))
  const files = ['shown.bin', 'hidden.bin', 'protected.bin', 'system.bin']
  files.push('Cache\\in.bin', 'Restore\\in.bin', 'With icon\\in.bin')
  for (const [index, name] of files.entries()) await record(name, index)
  for (const name of ['hidden.bin', 'Cache']) mark(name, HIDDEN)
  for (const name of ['protected.bin', 'Restore']) mark(name, HIDDEN | SYSTEM)
  for (const name of ['system.bin', 'With icon']) mark(name, SYSTEM)

  expect(await station.runToIdle()).toBe(0)
  expect(await knownFiles()).toEqual(['With icon\\in.bin', 'shown.bin', 'system.bin'])

  station.configure({ folder: { exclude: [] } })
  expect(await station.runToIdle()).toBe(0)
  expect(await knownFiles()).toEqual([
    'Cache\\in.bin',
    'With icon\\in.bin',
    'hidden.bin',
    'shown.bin',
    'system.bin',
  ])
  await station.expectAllSafe()
})

test('uploads a hidden recording as soon as its recorder makes the file visible', async () => {
  station = await Station.open()
  await record('take.bin', 1)
  mark('take.bin', HIDDEN)
  await record('beside.bin', 2)
  const agent = station.agent()
  await agent.waitForChange('the visible recording is processed', ({ state }) => state === 'processed')
  expect(await knownFiles()).toEqual(['beside.bin'])
  mark('take.bin', NORMAL)
  const isDone = async () => (await station.status()).recordings.every(({ state }) => state === 'processed')
  await until(
    'both recordings are processed',
    async () => (await knownFiles()).length === 2 && (await isDone()),
    90_000,
  )
  await agent.kill()
  await station.expectAllSafe()
})

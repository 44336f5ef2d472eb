import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { electronArchive } from '../support/electron-archive.ts'
import { Station, sha256OfFile } from '../support/station.ts'

// Electron's Node treats an .asar file as a folder. This test writes and reads the files themselves.
Object.assign(process, { noAsar: true })

let station: Station
afterEach(() => station.close())

test('recordings whose names end in .asar are uploaded as the files that they are', async () => {
  station = await Station.open()
  station.configure({ folder: { include: ['**/*'] } })
  const files = {
    'archive.asar': electronArchive(),
    'no-archive.asar': Buffer.from('a recording'),
    'folder.asar/beside.bin': Buffer.from('in a folder'),
    'folder.asar/archive.ASAR': electronArchive(),
    'plain.bin': Buffer.from('an ordinary name'),
  }
  mkdirSync(path.join(station.recordings, 'folder.asar'))
  for (const [name, bytes] of Object.entries(files)) writeFileSync(path.join(station.recordings, name), bytes)

  const agent = station.agent('--until-idle')
  expect(await agent.ended).toBe(0)

  const { recordings } = await station.status()
  const uploaded = recordings.map(({ path: file, sha256 }) => [
    path.relative(station.recordings, file),
    sha256,
  ])
  const written = await Promise.all(
    Object.keys(files).map(async (name) => [name, await sha256OfFile(path.join(station.recordings, name))]),
  )
  expect(Object.fromEntries(uploaded)).toEqual(Object.fromEntries(written))
  await station.expectAllSafe()
})

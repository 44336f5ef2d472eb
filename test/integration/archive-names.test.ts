import { mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createPackage } from '@electron/asar'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { writeRandomFile } from '../support/kill-repeatedly.ts'
import { seeded } from '../support/seeded.ts'
import { Station, until } from '../support/station.ts'

// Electron's Node treats an .asar file as a folder. With `noAsar`, the file operations of this test see a file.
Object.assign(process, { noAsar: true })

let station: Station
beforeAll(async () => {
  station = await Station.openLive()
})
afterAll(() => station.close())

test('Sluice uploads and moves recordings whose names end in .asar, whatever they contain', async () => {
  const random = seeded(45)
  const { root, recordings } = station
  const contents = path.join(root, 'contents')
  mkdirSync(contents)
  writeFileSync(path.join(contents, 'inner.bin'), 'a file inside the archive is not a recording')
  const real = path.join(root, 'real')
  await createPackage(contents, real)
  renameSync(real, path.join(recordings, 'real.asar'))
  mkdirSync(path.join(recordings, 'folder.asar'))
  const names = ['random.asar', 'UPPER.ASAR', 'folder.asar/nested.asar', 'other.bin']
  for (const name of names) await writeRandomFile(path.join(recordings, name), 5000, random)
  expect(await station.agent('--until-idle').ended).toBe(0)
  expect((await station.status()).recordings).toHaveLength(5)
  await station.expectAllSafe()
  const verified = await station.command('verify', '--all')
  expect(verified).toMatchObject({ code: 0, out: '5 of 5 local files agree with the journal.\n' })

  const archive = path.join(root, 'archive')
  mkdirSync(archive)
  station.configure({ folder: { after_upload: { action: 'move', to: archive, days: 0 } } })
  const agent = station.agent()
  await until(
    'all five files and their subfolder are in the target folder',
    () => readdirSync(archive, { recursive: true }).length === 6,
  )
  await agent.kill('SIGTERM')
})

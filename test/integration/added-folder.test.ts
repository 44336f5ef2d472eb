import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { Station } from '../support/station.ts'

let station: Station
afterEach(() => station.close())

test('after the data folder is lost, a folder that is added later is not uploaded again', async () => {
  station = await Station.open()
  const folders = ['hall-1', 'hall-2'].map((name) => path.join(station.recordings, name))
  for (const folder of folders) {
    mkdirSync(folder)
    writeFileSync(path.join(folder, 'take.bin'), `a night in ${folder}`)
  }
  const runWithFirst = async (count: number) => {
    const rest = {
      folders: folders.slice(0, count).map((folder) => ({ path: folder, site: 'lab', settle_seconds: 0.3 })),
    }
    station.configure({ rest })
    expect(await station.agent('--until-idle').ended).toBe(0)
  }
  await runWithFirst(2)
  rmSync(station.data, { recursive: true })
  // The first run of a new set-up has one folder.
  await runWithFirst(1)
  await runWithFirst(2)
  expect(Object.keys((await station.stats()).parts)).toHaveLength(2)
})

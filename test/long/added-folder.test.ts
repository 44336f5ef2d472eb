import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
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
  // The user sets up the station again, at first with only one of the two folders.
  await runWithFirst(1)
  await runWithFirst(2)
  expect(Object.keys((await station.stats()).parts)).toHaveLength(2)
})

test('after the data folder is lost, a subfolder that appears after the first scan is not uploaded again', async () => {
  station = await Station.open()
  const disk = path.join(station.recordings, 'disk2')
  mkdirSync(disk)
  writeFileSync(path.join(disk, 'z.bin'), 'a night')
  expect(await station.runToIdle()).toBe(0)
  rmSync(station.data, { recursive: true })
  const away = path.join(station.root, 'away')
  renameSync(disk, away)
  expect(await station.runToIdle()).toBe(0)
  renameSync(away, disk)
  expect(await station.runToIdle()).toBe(0)
  await station.expectAllSafe()
  expect(Object.keys((await station.stats()).parts)).toHaveLength(1)
})

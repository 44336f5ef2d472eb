import { mkdirSync, readFileSync, renameSync, truncateSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'vitest'
import { testFault } from '../../support/faults/test-fault.ts'
import { linux } from '../../support/needs.ts'
import { MIB, until } from '../../support/station.ts'

const writeManyFiles = (folder: string, count: number): void => {
  for (let first = 0; first < count; first += 1_000) {
    const inner = path.join(folder, `${first / 1_000}`)
    mkdirSync(inner)
    for (let n = 0; n < 1_000; n += 1) writeFileSync(path.join(inner, `${n}.bin`), `${first}/${n}`)
  }
}

const peakRssBytesOf = (pid: number): number =>
  Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1_024

const burstCount = 30_000

testFault('burst-30000', [linux], async ({ station }) => {
  const faultStation = await station()
  faultStation.configure({ rest: { transfer: { parallel_recordings: 16, parallel_parts: 16 } } })
  await faultStation.proxy.close('control')
  const agent = faultStation.run()
  await until('the agent watches the folder', () => faultStation.rows('SELECT 1 FROM folders').length > 0)
  writeManyFiles(faultStation.station.recordings, burstCount)
  const queuedCount = () =>
    faultStation.rows<{ n: number }>(
      "SELECT COUNT(*) AS n FROM timeline WHERE from_state = 'growing' AND to_state = 'queued'",
    )[0]?.n ?? 0
  await until('all recordings are queued', () => queuedCount() >= burstCount, 1_200_000)
  const peakRssBytes = peakRssBytesOf(agent.child.pid ?? 0)
  expect(queuedCount()).toBe(burstCount)
  expect(peakRssBytes).toBeLessThan(280 * MIB)
  await faultStation.proxy.open('control')
  await until(
    'all are processed',
    () =>
      faultStation.rows<{ n: number }>("SELECT COUNT(*) AS n FROM recordings WHERE state = 'processed'")[0]
        ?.n === burstCount,
    3_000_000,
  )
  return {
    'peak MB when queued': Math.round(peakRssBytes / 1e6),
    'requests per recording': (faultStation.proxy.count() / burstCount).toFixed(2),
  }
})

const existingCount = 100_000

testFault('existing-100000', [linux], async ({ station }) => {
  const faultStation = await station()
  faultStation.configure({ folder: { ignore_existing: true } })
  const oldFolder = faultStation.file('old')
  mkdirSync(oldFolder)
  writeManyFiles(oldFolder, existingCount)
  const agent = faultStation.run()
  await until('the agent watches the folder', () => faultStation.rows('SELECT 1 FROM folders').length > 0)
  await faultStation.record('new.bin')
  await faultStation.waitForState('processed')
  await faultStation.record('newer.bin')
  await faultStation.waitForState('processed', 2)
  expect(await faultStation.station.sessions()).toHaveLength(2)
  const peakMb = Math.round(peakRssBytesOf(agent.child.pid ?? 0) / 1e6)
  // The check of the promises must not find the ignored files.
  renameSync(oldFolder, path.join(faultStation.station.root, 'old'))
  return { 'peak MB': peakMb }
})

const terabyte = 1_000_000_000_000

testFault('sparse-terabyte', [linux], async ({ station }) => {
  const faultStation = await station()
  const large = faultStation.file('large.bin')
  writeFileSync(large, 'a recording')
  truncateSync(large, terabyte)
  const agent = faultStation.run()
  await faultStation.waitForState('hashing')
  await faultStation.record('small.bin')
  await faultStation.waitForState('processed')
  const [row] = faultStation.rows<{ state: string }>('SELECT state FROM recordings WHERE path = ?', large)
  expect(row?.state, 'the large file is still being hashed').toBe('hashing')
  const peakRssBytes = peakRssBytesOf(agent.child.pid ?? 0)
  expect(peakRssBytes).toBeLessThan(200 * MIB)
  truncateSync(large, 3 * MIB)
  await faultStation.waitForState('processed', 2)
  return { 'peak MB': Math.round(peakRssBytes / 1e6) }
})

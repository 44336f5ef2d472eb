import { mkdirSync, readFileSync, renameSync, truncateSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'vitest'
import { play } from '../../support/faults/play.ts'
import { linux } from '../../support/needs.ts'
import { MIB, until } from '../../support/station.ts'

const dropMany = (folder: string, count: number): void => {
  for (let at = 0; at < count; at += 1_000) {
    const inner = path.join(folder, `${at / 1_000}`)
    mkdirSync(inner)
    for (let n = 0; n < 1_000; n += 1) writeFileSync(path.join(inner, `${n}.bin`), `${at}/${n}`)
  }
}

const peakRssOf = (pid: number): number =>
  Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1_024

const burst = 30_000

play('burst-30000', [linux], async ({ station }) => {
  const one = await station()
  one.configure({ rest: { transfer: { parallel_recordings: 16, parallel_parts: 16 } } })
  await one.proxy.close('control')
  const agent = one.run()
  await until('the agent watches', () => one.rows('SELECT 1 FROM folders').length > 0)
  dropMany(one.station.recordings, burst)
  const queued = () =>
    one.rows<{ n: number }>(
      "SELECT COUNT(*) AS n FROM timeline WHERE from_state = 'growing' AND to_state = 'queued'",
    )[0]?.n ?? 0
  await until('all recordings are queued', () => queued() >= burst, 1_200_000)
  const peakRssBytes = peakRssOf(agent.child.pid ?? 0)
  expect(queued()).toBe(burst)
  expect(peakRssBytes).toBeLessThan(280 * MIB)
  await one.proxy.open('control')
  await until(
    'all are processed',
    () =>
      one.rows<{ n: number }>("SELECT COUNT(*) AS n FROM recordings WHERE state = 'processed'")[0]?.n ===
      burst,
    3_000_000,
  )
  return {
    'peak MB when queued': Math.round(peakRssBytes / 1e6),
    'requests per recording': (one.proxy.count() / burst).toFixed(2),
  }
})

const existing = 100_000

play('existing-100000', [linux], async ({ station }) => {
  const one = await station()
  one.configure({ folder: { ignore_existing: true } })
  const old = one.file('old')
  mkdirSync(old)
  dropMany(old, existing)
  const agent = one.run()
  await until('the folder was seen', () => one.rows('SELECT 1 FROM folders').length > 0)
  await one.record('new.bin')
  await one.waitForState('processed')
  await one.record('newer.bin')
  await one.waitForState('processed', 2)
  expect(await one.station.sessions()).toHaveLength(2)
  const peakMb = Math.round(peakRssOf(agent.child.pid ?? 0) / 1e6)
  // Ignored files are covered by no promise.
  renameSync(old, path.join(one.station.root, 'old'))
  return { 'peak MB': peakMb }
})

const terabyte = 1_000_000_000_000

play('sparse-terabyte', [linux], async ({ station }) => {
  const one = await station()
  const large = one.file('large.bin')
  writeFileSync(large, 'a recording')
  truncateSync(large, terabyte)
  const agent = one.run()
  await one.waitForState('hashing')
  await one.record('small.bin')
  await one.waitForState('processed')
  const [row] = one.rows<{ state: string }>('SELECT state FROM recordings WHERE path = ?', large)
  expect(row?.state, 'it is still being hashed').toBe('hashing')
  const peakRssBytes = peakRssOf(agent.child.pid ?? 0)
  expect(peakRssBytes).toBeLessThan(200 * MIB)
  truncateSync(large, 3 * MIB)
  await one.waitForState('processed', 2)
  return { 'peak MB': Math.round(peakRssBytes / 1e6) }
})

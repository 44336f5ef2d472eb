import { once } from 'node:events'
import { closeSync, openSync, rmSync, truncateSync, writeSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { expect } from 'vitest'
import type { FaultStation } from '../../support/faults/fault-station.ts'
import { recordHalfWay, waitForHalfWay } from '../../support/faults/half-way.ts'
import { testFault } from '../../support/faults/test-fault.ts'
import { fillDisk } from '../../support/fill-disk.ts'
import { mountedDisk } from '../../support/needs.ts'
import { PART, until } from '../../support/station.ts'

testFault('journal-disk-full', [mountedDisk], async ({ station }) => {
  const faultStation = await station()
  // If the agent cannot store an ETag on the full disk, it may send that part again.
  faultStation.allowed.resends = 'unjournaled'
  faultStation.station.mount(faultStation.data, 'size=160m')
  await recordHalfWay(faultStation)
  const agent = faultStation.run()
  await waitForHalfWay(faultStation)
  const ballast = path.join(faultStation.data, 'ballast')
  fillDisk(ballast)
  // The uploads may end before the disk is full, so a new file makes sure that the journal needs space.
  await faultStation.record('new.bin')
  await until('the agent reports the full disk', () =>
    agent.stderr.includes('The disk with the journal is full'),
  )
  await sleep(5_000)
  expect(agent.child.exitCode).toBeNull()
  rmSync(ballast)
  faultStation.proxy.rule = () => null
  await faultStation.waitForState('processed', 3)
  expect(agent.child.exitCode).toBeNull()
  return {}
})

const lockedMs = 30_000

testFault('journal-locked', [], async ({ station }) => {
  const faultStation = await station()
  faultStation.allowed.resends = 'unjournaled'
  await recordHalfWay(faultStation)
  const agent = faultStation.run()
  await waitForHalfWay(faultStation)
  const holder = new Worker(
    `const { parentPort, workerData } = require('node:worker_threads')
     const db = new (require('better-sqlite3'))(workerData, { timeout: 60_000 })
     db.exec('BEGIN EXCLUSIVE')
     parentPort.postMessage('held')
     parentPort.once('message', () => { db.exec('ROLLBACK'); db.close() })`,
    { eval: true, workerData: path.join(faultStation.data, 'journal.db') },
  )
  await once(holder, 'message')
  await faultStation.record('new.bin')
  await sleep(lockedMs)
  holder.postMessage('let go')
  await once(holder, 'exit')
  faultStation.proxy.rule = () => null
  await faultStation.waitForState('processed', 3)
  expect(agent.child.exitCode, 'the same process').toBeNull()
  return { 'seconds locked': lockedMs / 1_000 }
})

/** Kills the agent when one recording is complete and one of the three parts of a second one is sent. */
const killHalfWay = async (faultStation: FaultStation): Promise<void> => {
  await faultStation.record('done.bin', PART + 1)
  const first = faultStation.run()
  await faultStation.waitForState('processed')
  await first.kill('SIGTERM')
  await recordHalfWay(faultStation, ['half.bin'])
  const agent = faultStation.run()
  await faultStation.waitForJournaledParts(3)
  await agent.kill()
  faultStation.proxy.rule = () => null
}

const journalFile = (faultStation: FaultStation, suffix = '') =>
  path.join(faultStation.data, `journal.db${suffix}`)
const removeWal = (faultStation: FaultStation) => {
  for (const suffix of ['-wal', '-shm']) rmSync(journalFile(faultStation, suffix), { force: true })
}

const damages = {
  /** Overwrites pages after the first one, so that the header still looks right. */
  'journal-corrupt': (faultStation: FaultStation) => {
    removeWal(faultStation)
    const handle = openSync(journalFile(faultStation), 'r+')
    for (let page = 1; page < 40; page += 1)
      writeSync(handle, Buffer.alloc(4_096, 0xa5), 0, 4_096, page * 4_096)
    closeSync(handle)
  },
  'journal-empty': (faultStation: FaultStation) => {
    removeWal(faultStation)
    truncateSync(journalFile(faultStation), 0)
  },
  'journal-wal-missing': removeWal,
} as const

for (const name of Object.keys(damages) as (keyof typeof damages)[])
  testFault(name, [], async ({ station }) => {
    const faultStation = await station()
    // The ETags are lost with the journal, so the agent may send parts again.
    faultStation.allowed.resends = 'any'
    // Sluice cannot compute the sandbox's ETags, so it may upload into a new session.
    faultStation.allowed.openSessions = true
    await killHalfWay(faultStation)
    const sessionsBefore = await faultStation.station.sessions()
    const before = await faultStation.station.stats()
    damages[name](faultStation)
    faultStation.run()
    await faultStation.waitForState('processed', 2)
    const after = await faultStation.station.stats()
    const complete = sessionsBefore.filter(({ status }) => status === 'processed')
    expect(complete).toHaveLength(1)
    for (const { id } of complete)
      expect(after.parts[id], 'complete recordings are not sent again').toEqual(before.parts[id])
    return { sessions: (await faultStation.station.sessions()).length, creations: after.routes.create ?? 0 }
  })

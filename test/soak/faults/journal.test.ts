import { once } from 'node:events'
import { closeSync, openSync, rmSync, truncateSync, writeSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { expect } from 'vitest'
import type { FaultStation } from '../../support/faults/fault-station.ts'
import { recordHalfWay, waitForHalfWay } from '../../support/faults/half-way.ts'
import { play } from '../../support/faults/play.ts'
import { fillDisk } from '../../support/fill-disk.ts'
import { mountedDisk } from '../../support/needs.ts'
import { PART, until } from '../../support/station.ts'

play('journal-disk-full', [mountedDisk], async ({ station }) => {
  const one = await station()
  // An ETag that arrived while the full disk could not store it.
  one.allowed.resends = 'unjournaled'
  one.station.mount(one.data, 'size=160m')
  await recordHalfWay(one)
  const agent = one.run()
  await waitForHalfWay(one)
  const ballast = path.join(one.data, 'ballast')
  fillDisk(ballast)
  await until('the agent reports it', () => agent.stderr.includes('The disk with the journal is full'))
  await one.record('new.bin')
  await sleep(5_000)
  expect(agent.child.exitCode).toBeNull()
  rmSync(ballast)
  one.proxy.rule = () => null
  await one.waitForState('processed', 3)
  expect(agent.child.exitCode).toBeNull()
  return {}
})

const lockedMs = 30_000

play('journal-locked', [], async ({ station }) => {
  const one = await station()
  one.allowed.resends = 'unjournaled'
  await recordHalfWay(one)
  const agent = one.run()
  await waitForHalfWay(one)
  const holder = new Worker(
    `const { parentPort, workerData } = require('node:worker_threads')
     const db = new (require('better-sqlite3'))(workerData, { timeout: 60_000 })
     db.exec('BEGIN EXCLUSIVE')
     parentPort.postMessage('held')
     parentPort.once('message', () => { db.exec('ROLLBACK'); db.close() })`,
    { eval: true, workerData: path.join(one.data, 'journal.db') },
  )
  await once(holder, 'message')
  await one.record('new.bin')
  await sleep(lockedMs)
  holder.postMessage('let go')
  await once(holder, 'exit')
  one.proxy.rule = () => null
  await one.waitForState('processed', 3)
  expect(agent.child.exitCode, 'the same process').toBeNull()
  return { 'locked for s': lockedMs / 1_000 }
})

/** Kills the agent when one recording is complete and one is half uploaded. */
const killedHalfWay = async (one: FaultStation): Promise<void> => {
  await one.record('done.bin', PART + 1)
  const first = one.run()
  await one.waitForState('processed')
  await first.kill('SIGTERM')
  await recordHalfWay(one, ['half.bin'])
  const agent = one.run()
  await one.waitForJournaledParts(3)
  await agent.kill()
  one.proxy.rule = () => null
}

const journal = (one: FaultStation, suffix = '') => path.join(one.data, `journal.db${suffix}`)
const dropWal = (one: FaultStation) => {
  for (const suffix of ['-wal', '-shm']) rmSync(journal(one, suffix), { force: true })
}

const damages = {
  /** Overwrites pages in the middle: the header still looks right. */
  'journal-corrupt': (one: FaultStation) => {
    dropWal(one)
    const handle = openSync(journal(one), 'r+')
    for (let page = 1; page < 40; page += 1)
      writeSync(handle, Buffer.alloc(4_096, 0xa5), 0, 4_096, page * 4_096)
    closeSync(handle)
  },
  'journal-empty': (one: FaultStation) => {
    dropWal(one)
    truncateSync(journal(one), 0)
  },
  'journal-wal-missing': dropWal,
} as const

for (const name of Object.keys(damages) as (keyof typeof damages)[])
  play(name, [], async ({ station }) => {
    const one = await station()
    // The ETags are lost with the journal, so parts in progress may be sent again for them.
    one.allowed.resends = 'any'
    // The sandbox's ETags are no MD5, so Sluice cannot guess them. It uploads the recording in a new session.
    one.allowed.openSessions = true
    await killedHalfWay(one)
    const done = await one.station.sessions()
    const before = await one.station.stats()
    damages[name](one)
    one.run()
    await one.waitForState('processed', 2)
    const after = await one.station.stats()
    const complete = done.filter(({ status }) => status === 'processed')
    expect(complete).toHaveLength(1)
    for (const { id } of complete)
      expect(after.parts[id], 'complete recordings are not sent again').toEqual(before.parts[id])
    return { sessions: (await one.station.sessions()).length, creations: after.routes.create ?? 0 }
  })

import { execFileSync } from 'node:child_process'
import { mkdirSync, rmdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished } from 'vitest'
import type { FolderStatus } from '../../../shared/status/status.ts'
import type { FaultStation } from '../../support/faults/fault-station.ts'
import { recordHalfWay, waitForHalfWay } from '../../support/faults/half-way.ts'
import { play } from '../../support/faults/play.ts'
import type { HostedAgent } from '../../support/hosted-agent.ts'
import { mountedDisk } from '../../support/needs.ts'
import { until } from '../../support/station.ts'

/** A drive at the path of the recordings that keeps its content while it is unmounted. */
const plug = (one: FaultStation): { readonly unplug: () => void; readonly plug: () => void } => {
  const drive = path.join(one.station.root, 'drive')
  one.station.mount(drive, 'size=200m')
  const at = one.station.recordings
  // Like the system: the mount point disappears with the drive.
  const unplug = () => {
    execFileSync('umount', ['-l', at], { stdio: 'ignore' })
    rmdirSync(at)
  }
  const again = () => {
    mkdirSync(at, { recursive: true })
    execFileSync('mount', ['--bind', drive, at])
  }
  again()
  onTestFinished(() => {
    try {
      unplug()
    } catch {
      // The drive is offline.
    }
  })
  return { unplug, plug: again }
}

const folderIs = (agent: HostedAgent, state: FolderStatus['state']) =>
  until(`the folder is ${state}`, () => agent.status?.folders[0]?.state === state)

const gone = (one: FaultStation) => one.rows("SELECT 1 FROM recordings WHERE state = 'gone'").length

play('unmounted', [mountedDisk], async ({ station }) => {
  const one = await station()
  const drive = plug(one)
  await recordHalfWay(one)
  const agent = await one.host()
  await waitForHalfWay(one)
  drive.unplug()
  await folderIs(agent, 'offline')
  expect(gone(one), 'no recording is reported as vanished').toBe(0)
  drive.plug()
  one.proxy.rule = () => null
  await one.waitForState('processed', 2)
  expect(one.proxy.count(({ route }) => route === 'create')).toBe(2)
  return { PUTs: one.proxy.count(({ route }) => route === 'part') }
})

play('other-volume', [mountedDisk], async ({ station }) => {
  const one = await station()
  const drive = plug(one)
  await recordHalfWay(one)
  const agent = await one.host()
  await waitForHalfWay(one)
  drive.unplug()
  const other = path.join(one.station.root, 'other')
  one.station.mount(other, 'size=20m')
  mkdirSync(path.join(other, 'private'))
  writeFileSync(path.join(other, 'private', 'not-ours.bin'), 'a file of a different user')
  mkdirSync(one.station.recordings)
  execFileSync('mount', ['--bind', other, one.station.recordings])
  await folderIs(agent, 'replaced')
  expect(one.rows("SELECT 1 FROM recordings WHERE name LIKE '%not-ours%'")).toEqual([])
  expect(gone(one), 'no recording is reported as vanished').toBe(0)
  drive.unplug()
  drive.plug()
  one.proxy.rule = () => null
  await one.waitForState('processed', 2)
  return { 'files of the other drive uploaded': 0 }
})

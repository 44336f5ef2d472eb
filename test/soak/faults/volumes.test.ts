import { execFileSync } from 'node:child_process'
import { mkdirSync, rmdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished } from 'vitest'
import type { FolderStatus } from '../../../shared/status/status.ts'
import type { FaultStation } from '../../support/faults/fault-station.ts'
import { recordHalfWay, waitForHalfWay } from '../../support/faults/half-way.ts'
import { testFault } from '../../support/faults/test-fault.ts'
import type { HostedAgent } from '../../support/hosted-agent.ts'
import { mountedDisk } from '../../support/needs.ts'
import { until } from '../../support/station.ts'

/** Mounts a drive at the path of the recordings. The drive keeps its content while it is unmounted. */
const mountDrive = (
  faultStation: FaultStation,
): { readonly unplug: () => void; readonly plug: () => void } => {
  const drive = path.join(faultStation.station.root, 'drive')
  faultStation.station.mount(drive, 'size=200m')
  const mountPoint = faultStation.station.recordings
  // As on a real system, the mount point disappears with the drive.
  const unplug = () => {
    execFileSync('umount', ['-l', mountPoint], { stdio: 'ignore' })
    rmdirSync(mountPoint)
  }
  const plug = () => {
    mkdirSync(mountPoint, { recursive: true })
    execFileSync('mount', ['--bind', drive, mountPoint])
  }
  plug()
  onTestFinished(() => {
    try {
      unplug()
    } catch {
      // The drive is already unmounted.
    }
  })
  return { unplug, plug }
}

const waitForFolder = (agent: HostedAgent, state: FolderStatus['state']) =>
  until(`the folder is ${state}`, () => agent.status?.folders[0]?.state === state)

const countGone = (faultStation: FaultStation) =>
  faultStation.rows("SELECT 1 FROM recordings WHERE state = 'gone'").length

testFault('unmounted', [mountedDisk], async ({ station }) => {
  const faultStation = await station()
  const drive = mountDrive(faultStation)
  await recordHalfWay(faultStation)
  const agent = await faultStation.host()
  await waitForHalfWay(faultStation)
  drive.unplug()
  await waitForFolder(agent, 'offline')
  expect(countGone(faultStation), 'no recording is reported as vanished').toBe(0)
  drive.plug()
  faultStation.proxy.rule = () => null
  await faultStation.waitForState('processed', 2)
  expect(faultStation.proxy.count(({ route }) => route === 'create')).toBe(2)
  return { PUTs: faultStation.proxy.count(({ route }) => route === 'part') }
})

testFault('other-volume', [mountedDisk], async ({ station }) => {
  const faultStation = await station()
  const drive = mountDrive(faultStation)
  await recordHalfWay(faultStation)
  const agent = await faultStation.host()
  await waitForHalfWay(faultStation)
  drive.unplug()
  const otherDrive = path.join(faultStation.station.root, 'other')
  faultStation.station.mount(otherDrive, 'size=20m')
  mkdirSync(path.join(otherDrive, 'private'))
  writeFileSync(path.join(otherDrive, 'private', 'not-ours.bin'), 'a file of a different user')
  mkdirSync(faultStation.station.recordings)
  execFileSync('mount', ['--bind', otherDrive, faultStation.station.recordings])
  await waitForFolder(agent, 'replaced')
  expect(faultStation.rows("SELECT 1 FROM recordings WHERE name LIKE '%not-ours%'")).toEqual([])
  expect(countGone(faultStation), 'no recording is reported as vanished').toBe(0)
  drive.unplug()
  drive.plug()
  faultStation.proxy.rule = () => null
  await faultStation.waitForState('processed', 2)
  return { 'files of the other drive uploaded': 0 }
})

import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readDriveIdentity } from '../../main/agent/platform/folders/drive-identity.ts'
import { waitForJournal } from '../support/journal-file.ts'
import { loopDevice, mountedDisk, needs, program } from '../support/needs.ts'
import { Station } from '../support/station.ts'

const ext4Drives = needs(mountedDisk, loopDevice, program('mkfs.ext4'))

/** A slot for drives: each drive that is plugged in gets the same device number. */
const openSlot = (place: string) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'sluice-drives-'))
  // A high number, because other tests may take a low number while no drive is plugged in here.
  const device = `/dev/loop${100 + (process.pid % 100)}`
  let isPlugged = false
  const unplug = async () => {
    // Retry, because the agent may be reading a file of the drive.
    await expect.poll(() => spawnSync('umount', [place], { stdio: 'ignore' }).status).toBe(0)
    execFileSync('losetup', ['--detach', device])
    // The kernel detaches the device only when no program has it open.
    await expect.poll(() => spawnSync('losetup', [device], { stdio: 'ignore' }).status).not.toBe(0)
    isPlugged = false
  }
  onTestFinished(() => {
    if (isPlugged) execFileSync('umount', ['-l', place])
    if (isPlugged) execFileSync('losetup', ['--detach', device])
    rmSync(folder, { recursive: true, force: true })
  })
  return {
    device,
    unplug,
    format(name: string): void {
      const image = path.join(folder, name)
      writeFileSync(image, '')
      truncateSync(image, 20 * 1_048_576)
      execFileSync('mkfs.ext4', ['-q', image])
    },
    plug(name: string): void {
      execFileSync('losetup', [device, path.join(folder, name)])
      execFileSync('mount', [device, place])
      isPlugged = true
    },
  }
}

test('uploads no file of another drive with the same device number', ext4Drives, async () => {
  const station = await Station.open()
  onTestFinished(() => station.close())
  const slot = openSlot(station.recordings)
  for (const [drive, file] of [
    ['ours', 'ours.bin'],
    ['other', 'not-ours.bin'],
  ] as const) {
    slot.format(drive)
    slot.plug(drive)
    writeFileSync(path.join(station.recordings, file), drive)
    await slot.unplug()
  }
  slot.plug('ours')
  station.agent()
  await waitForJournal(
    station.data,
    'ours is processed',
    "SELECT 1 FROM recordings WHERE state = 'processed'",
  )
  const { dev } = statSync(station.recordings)

  await slot.unplug()
  slot.plug('other')
  expect(statSync(station.recordings).dev).toBe(dev)
  await waitForJournal(
    station.data,
    'the folder is replaced',
    "SELECT 1 FROM folder_states WHERE state = 'replaced'",
  )
  const { recordings } = await station.status()
  expect(recordings.map((recording) => path.basename(recording.path))).toEqual(['ours.bin'])

  await slot.unplug()
  slot.plug('ours')
  await waitForJournal(
    station.data,
    'the folder is back',
    "SELECT 1 FROM folder_states WHERE state = 'watching'",
  )
})

test('identifies a drive by its UUID or, if it has none, by its root folder', ext4Drives, async () => {
  const root = mkdtempSync(path.join(tmpdir(), 'sluice-uuid-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const [place, uuids, udev] = ['drive', 'by-uuid', 'udev'].map((name) => path.join(root, name)) as [
    string,
    string,
    string,
  ]
  for (const folder of [place, uuids, udev]) mkdirSync(folder)
  const slot = openSlot(place)
  slot.format('a')
  slot.plug('a')
  mkdirSync(path.join(place, 'run'))
  const identify = (folder: string) =>
    readDriveIdentity(folder, statSync(folder, { bigint: true }).dev, {
      uuids,
      udev,
      mounts: '/proc/self/mountinfo',
    })
  const byRoot = await identify(place)
  expect(byRoot).toMatch(/^root:2:\d+$/)
  expect(await identify(path.join(place, 'run'))).toBe(byRoot)
  symlinkSync(slot.device, path.join(uuids, '5f3e-0a12'))
  expect(await identify(path.join(place, 'run'))).toBe('uuid:5f3e-0a12')
  const { dev } = statSync(place)
  writeFileSync(path.join(udev, `b${dev >> 8}:${dev & 0xff}`), 'E:ID_FS_TYPE=ext4\nE:ID_FS_UUID=5f3e-0a13\n')
  expect(await identify(path.join(place, 'run'))).toBe('uuid:5f3e-0a13')

  rmSync(uuids, { recursive: true })
  rmSync(udev, { recursive: true })
  const bind = path.join(root, 'bind')
  mkdirSync(bind)
  execFileSync('mount', ['--bind', path.join(place, 'run'), bind])
  expect(await identify(bind)).toBeUndefined()
  execFileSync('umount', [bind])
})

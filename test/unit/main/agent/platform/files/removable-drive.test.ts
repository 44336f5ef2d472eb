import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  isRemovableBlock,
  isRemovableType,
} from '../../../../../../main/agent/platform/files/removable-drive.ts'
import { linux, needs } from '../../../../../support/needs.ts'

let sysFolder: string
beforeEach(() => {
  sysFolder = mkdtempSync(path.join(tmpdir(), 'sluice-sys-'))
  mkdirSync(path.join(sysFolder, 'dev/block'), { recursive: true })
})
afterEach(() => rmSync(sysFolder, { recursive: true }))

/** Creates the entries of the partition `8:17`, as Linux shows them below `/sys`. */
const createPartition = (disk: string, removable: string): void => {
  const folder = path.join(sysFolder, 'devices', disk)
  mkdirSync(path.join(folder, 'sdb1'), { recursive: true })
  writeFileSync(path.join(folder, 'removable'), removable)
  symlinkSync(path.join(folder, 'sdb1'), path.join(sysFolder, 'dev/block/8:17'))
}
const DEVICE = (8n << 8n) | 17n

test.each([
  ['a card reader is removable', 'pci0000:00/0000:00:14.0/ata1/host0/block/sdb', '1\n', true],
  [
    'a USB disk is removable, although Linux does not mark it',
    'pci0000:00/usb2/2-1/2-1:1.0/host3/block/sdb',
    '0\n',
    true,
  ],
  ['an SD slot is removable', 'pci0000:00/mmc_host/mmc0/mmc0:0001/block/mmcblk0', '0\n', true],
  ['a built-in disk is not removable', 'pci0000:00/0000:00:17.0/ata1/host0/block/sdb', '0\n', false],
])('Linux: %s', needs(linux), async (_, disk, flag, removable) => {
  createPartition(disk, flag)
  expect(await isRemovableBlock(DEVICE, sysFolder)).toBe(removable)
})

test('Linux: a soldered memory chip is not removable', needs(linux), async () => {
  const disk = 'pci0000:00/mmc_host/mmc0/mmc0:0001/block/mmcblk0'
  createPartition(disk, '0\n')
  mkdirSync(path.join(sysFolder, 'devices', disk, 'device'))
  writeFileSync(path.join(sysFolder, 'devices', disk, 'device/type'), 'MMC\n')
  expect(await isRemovableBlock(DEVICE, sysFolder)).toBe(false)
})

test(
  'Linux: a USB disk with the system on one of its partitions is not removable',
  needs(linux),
  async () => {
    const disk = 'pci0000:00/usb2/2-1/2-1:1.0/host3/block/sdb'
    createPartition(disk, '0\n')
    const rootPartition = path.join(sysFolder, 'devices', disk, 'sdb2')
    mkdirSync(rootPartition)
    symlinkSync(rootPartition, path.join(sysFolder, 'dev/block/8:18'))
    expect(await isRemovableBlock(DEVICE, sysFolder, () => Promise.resolve(DEVICE + 1n))).toBe(false)
  },
)

test('Linux: a device that the system does not list, such as a share, is not removable', async () => {
  expect(await isRemovableBlock(DEVICE, sysFolder)).toBe(false)
})

test.each([
  ['a card is removable', 2, 'E:\\', true],
  ['a USB disk is removable', 3, 'e:\\', true],
  ['the system disk is not removable', 3, 'c:\\', false],
  ['a share with a letter is not removable', 4, 'Z:\\', false],
  ['a DVD is not removable', 5, 'D:\\', false],
])('Windows: %s', (_, type, drive, removable) => {
  expect(isRemovableType(type, drive, 'C:')).toBe(removable)
})

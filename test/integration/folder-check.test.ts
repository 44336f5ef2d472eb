import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isOnNetwork, sharingOfType } from '../../main/agent/platform/folders/network-drive.ts'
import type { FolderVerdict } from '../../shared/ipc/ipc.ts'
import { linuxPaths, macPaths, windowsPaths } from '../../shared/paths/paths.ts'
import { HostedAgent } from '../support/hosted-agent.ts'
import { mountedDisk, needs, ordinaryUser } from '../support/needs.ts'
import { Station, until } from '../support/station.ts'

/** While a user chooses a folder in the window, the agent checks the folder, and the window shows the result. */

let station: Station
let agent: HostedAgent
const makeFolder = (name: string): string => {
  const folder = path.join(station.root, name)
  mkdirSync(folder, { recursive: true })
  return folder
}
const check = (folder: string): Promise<FolderVerdict> => agent.call('checkFolder', { path: folder })

beforeAll(async () => {
  station = await Station.open()
  station.configure()
  agent = await HostedAgent.start(station, { asOrdinaryUser: true })
  await until('the agent has its settings', () => agent.status?.folders.length === 1)
})
afterAll(async () => {
  await agent.stop()
  await station.close()
})

test.each([
  ['the system root', () => path.parse(station.root).root, 'This is a whole drive.'],
  ['a relative path', () => 'recordings', 'Give the full path'],
  ['a missing folder', () => path.join(station.root, 'nowhere'), 'This folder does not exist.'],
  [
    'the recycle bin',
    () => makeFolder('$Recycle.Bin/S-1-5-21'),
    'This folder is reserved for the operating system.',
  ],
  [
    'a watched folder in a different spelling',
    () => `${station.recordings}/../recordings/`,
    'already watched',
  ],
])('refuses %s and gives the reason', async (_name, folder, reason) => {
  expect(await check(folder())).toEqual({ ok: false, reason: expect.stringContaining(reason) })
})

test('refuses a link to a watched folder, in a sentence that names both paths', async () => {
  const link = path.join(station.root, 'link')
  symlinkSync(station.recordings, link)
  expect(await check(link)).toEqual({
    ok: false,
    reason: `This folder is already watched: ${station.recordings} and ${link} are the same folder.`,
  })
})

test('recognises subfolders that are rosbag2 recordings', async () => {
  const bags = makeFolder('bags')
  for (const name of ['bag_1', 'bag_2']) {
    mkdirSync(path.join(bags, name))
    for (const file of [`${name}_0.mcap`, 'metadata.yaml']) writeFileSync(path.join(bags, name, file), 'x')
  }
  expect(await check(bags)).toMatchObject({ ok: true, takeLayout: 'rosbag2' })
  expect(await check(makeFolder('empty'))).toMatchObject({ ok: true, takeLayout: null })
})

test('refuses a file', async () => {
  const file = path.join(makeFolder('files'), 'a.mcap')
  writeFileSync(file, 'x')
  expect(await check(file)).toEqual({ ok: false, reason: 'This is a file, not a folder.' })
})

test('accepts a folder inside a watched folder, with a warning', async () => {
  const inner = path.join(station.recordings, 'inner')
  mkdirSync(inner)
  expect(await check(inner)).toMatchObject({ ok: true, warning: expect.stringContaining('It is inside') })
})

test('accepts a folder around a watched folder, with a warning that names the inner folder', async () => {
  const inner = makeFolder('around/inner')
  station.configure({ folder: { path: inner } })
  agent.configure()
  await until('the inner folder is watched', () =>
    agent.status?.folders.some((folder) => folder.path === inner),
  )
  expect(await check(makeFolder('around'))).toMatchObject({
    ok: true,
    warning: `${inner} is inside it and keeps its own settings.`,
  })
})

test.each([
  ['NFS', '/mnt/capture', 0x6969, linuxPaths, true],
  ['SMB', '/mnt/capture', 0xfe534d42, linuxPaths, true],
  ['a Windows share', '\\\\nas-02\\capture', 0, windowsPaths, true],
  ['a Windows share, in its long form', '\\\\?\\UNC\\nas-02\\capture', 0, windowsPaths, true],
  ['ext4', '/home/lab', 0xef53, linuxPaths, false],
  ['a Windows drive', 'D:\\Recordings', 0, windowsPaths, false],
  ['a Windows drive, in its long form', '\\\\?\\D:\\Recordings', 0, windowsPaths, false],
])('distinguishes a network drive from a local one: %s', (_name, realPath, type, paths, expected) => {
  expect(isOnNetwork(realPath, type, paths)).toBe(expected)
})

test.each([
  ['NFS', '/mnt/capture', 0x6969, linuxPaths, 'shared'],
  ['FUSE', '/mnt/capture', 0x65735546, linuxPaths, 'shared'],
  ['ext4', '/home/lab', 0xef53, linuxPaths, 'own'],
  ['an unknown type', '/mnt/capture', 0x12345678, linuxPaths, 'unknown'],
  ['an overlay, whose lower layers may change', '/data', 0x794c7630, linuxPaths, 'unknown'],
  ['a volume of macOS', '/Volumes/capture', 0x1a, macPaths, 'unknown'],
  ['a Windows drive', 'D:\\Recordings', 0, windowsPaths, 'own'],
  ['a Windows share', '\\\\nas-02\\capture', 0, windowsPaths, 'shared'],
])(
  'detects whether other PCs can change a folder without file events here: %s',
  (_name, realPath, type, paths, expected) => {
    expect(sharingOfType(realPath, type, paths)).toBe(expected)
  },
)

test('accepts a valid folder, and counts its files and their bytes', async () => {
  const folder = makeFolder('good')
  writeFileSync(path.join(folder, 'a.mcap'), 'abc')
  expect(await check(folder)).toEqual({ ok: true, warning: null, files: 1, bytes: 3, takeLayout: null })
})

test('warns of a read-only folder, and refuses one that it cannot read', needs(ordinaryUser), async () => {
  const folder = makeFolder('closed')
  chmodSync(folder, 0o555)
  expect(await check(folder)).toMatchObject({
    ok: true,
    warning: 'It is read-only, which is enough for uploading.',
  })
  chmodSync(folder, 0)
  expect(await check(folder)).toEqual({ ok: false, reason: expect.stringContaining('no permission to read') })
  chmodSync(folder, 0o755)
})

test('accepts a read-only drive, with a warning', needs(mountedDisk), async () => {
  const folder = path.join(station.root, 'card')
  station.mount(folder, 'ro')
  expect(await check(folder)).toMatchObject({
    ok: true,
    warning: 'It is read-only, which is enough for uploading.',
  })
})

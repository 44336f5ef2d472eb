import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { statSync, writeFileSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { majorMinorOf } from '../../main/agent/platform/files/device-number.ts'
import { createOpenWriters } from '../../main/agent/platform/files/open-writers.ts'
import { mappedBy, readMappings } from '../../main/agent/platform/files/proc-mappings.ts'
import { systemClock } from '../../main/agent/platform/system-clock.ts'
import { linux, needs, program } from '../support/needs.ts'
import { temporaryFolder } from './platform-support.ts'

test('`anew` sees a process that opened the file a moment ago', needs(linux), async () => {
  const file = path.join(temporaryFolder(), 'take.bin')
  writeFileSync(file, 'x')
  const { dev, ino } = statSync(file, { bigint: true })
  const identity = { device: String(dev), inode: String(ino) }
  // A stopped clock: the cached result never expires.
  const { writerOf } = createOpenWriters({ monotonicMs: () => 0 }, { info: () => {}, warn: () => {} })
  expect(await writerOf(file, identity)).toBe('none')
  const writer = spawn('sh', ['-c', 'exec 3<>"$0"; echo open; read line', file], {
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  onTestFinished(() => void writer.stdin.end())
  await once(writer.stdout, 'data')
  expect(await writerOf(file, identity)).toBe('none')
  expect(await writerOf(file, identity, 'anew')).toBe('open')
})

/** Maps the file, closes all its descriptors and reports that; ends with its input. */
const mapAndClose = (access: string) => `
import mmap, os, sys
fd = os.open(sys.argv[1], os.O_RDWR)
view = mmap.mmap(fd, 0, access=mmap.${access})
os.close(fd)
for name in os.listdir("/proc/self/fd"):
    try:
        if os.readlink("/proc/self/fd/" + name) == os.path.realpath(sys.argv[1]): os.close(int(name))
    except OSError: pass
print("mapped", flush=True)
sys.stdin.readline()
if "${access}" == "ACCESS_WRITE": view[0:1] = b"y"
view.close()
print("unmapped", flush=True)
sys.stdin.readline()
`

test.each([
  ['ACCESS_WRITE', 'open'],
  // A player that maps its file does not write.
  ['ACCESS_READ', 'none'],
  ['ACCESS_COPY', 'none'],
] as const)(
  'a shared mapping without a descriptor (%s) counts as %s',
  needs(linux, program('python3')),
  async (access, writer) => {
    const file = path.join(temporaryFolder(), 'take.bin')
    writeFileSync(file, 'x'.repeat(8192))
    const { dev, ino } = statSync(file, { bigint: true })
    const identity = { device: String(dev), inode: String(ino) }
    const { writerOf } = createOpenWriters(systemClock, { info: () => {}, warn: () => {} })
    const recorder = spawn('python3', ['-c', mapAndClose(access), file], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    onTestFinished(() => void recorder.kill('SIGKILL'))
    await once(recorder.stdout, 'data')
    expect(await writerOf(file, identity, 'anew')).toBe(writer)
    recorder.stdin.write('\n')
    await once(recorder.stdout, 'data')
    expect(await writerOf(file, identity, 'anew')).toBe('none')
  },
)

const map = (device: string, inode: string, file: string) =>
  readMappings(`7f00-7f01 rw-s 00000000 ${device} ${inode}    ${file}\n`)

test('identifies a mapped file by its device, or else by its path', async () => {
  const file = path.join(temporaryFolder(), 'take.bin')
  const beside = `${file}.beside`
  writeFileSync(file, 'x')
  writeFileSync(beside, 'x')
  const { dev, ino } = statSync(file, { bigint: true })
  const identity = { device: String(dev), inode: String(ino) }
  const own = majorMinorOf(identity.device)
  const hex = (number: bigint) => number.toString(16).padStart(2, '0')
  const device = `${hex(own.major)}:${hex(own.minor)}`
  const inode = String(ino)
  const ask = (...mapping: Parameters<typeof map>) =>
    mappedBy(map(...mapping), file, identity, (at) => stat(at, { bigint: true }))
  expect(await ask(device, inode, '/another/name')).toBe(true)
  expect(await ask(device, `${inode}0`, '/another/name')).toBe(false)
  // btrfs: a subvolume has its own number, which `maps` does not show.
  expect(await ask('00:2a', inode, file)).toBe(true)
  expect(await ask('00:2a', inode, beside)).toBe(false)
  // Inside a container the path does not exist from here.
  expect(await ask('00:2a', inode, '/no/such/place/take.bin')).toBe(true)
  // overlayfs: the inode may be that of the layer, too.
  expect(await ask('00:2a', `${inode}0`, file)).toBe(true)
  // Two physical drives have different numbers.
  if (own.major !== 0n) expect(await ask('fd:63', inode, '/no/such/place/take.bin')).toBe(false)
  expect(await ask('00:01', inode, '/memfd:shared (deleted)')).toBe(false)
  expect(await ask('00:2a', inode, `${file} (deleted)`)).toBe(false)
})

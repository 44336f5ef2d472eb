import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createOpenWriters } from '../../main/agent/platform/files/open-writers.ts'
import { systemClock } from '../../shared/clock/clock.ts'
import { silent, temporaryFolder } from '../integration/platform-support.ts'
import { linux, type Need, needs, program } from '../support/needs.ts'

const identityAt = (file: string) => {
  const { dev, ino, uid } = statSync(file, { bigint: true })
  return { device: String(dev), inode: String(ino), ownerUid: Number(uid) }
}

/** A program that maps the file, closes its descriptors and prints a line. On input, it unmaps the file. */
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
  ['ACCESS_WRITE', 'open', 'open'],
  // A recorder may make a read-only map writable later.
  ['ACCESS_READ', 'none', 'open'],
  // A private map never changes the file, but Linux treats the file as open for writing.
  ['ACCESS_COPY', 'none', 'open'],
] as const)(
  'for a file mapped without an open descriptor (%s), the writer is %s, and for a removal %s',
  needs(linux, program('python3')),
  async (access, writer, writerAtRemoval) => {
    const file = path.join(temporaryFolder(), 'take.bin')
    writeFileSync(file, 'x'.repeat(8192))
    const identity = identityAt(file)
    const { writerOf } = createOpenWriters(systemClock, silent, true)
    const recorder = spawn('python3', ['-c', mapAndClose(access), file], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    onTestFinished(() => void recorder.kill('SIGKILL'))
    await once(recorder.stdout, 'data')
    expect(await writerOf(file, identity, 'at-removal')).toBe(writerAtRemoval)
    expect(await writerOf(file, identity, 'before-removal')).toBe(writerAtRemoval)
    expect(await writerOf(file, identity)).toBe(writer)
    recorder.stdin.write('\n')
    await once(recorder.stdout, 'data')
    expect(await writerOf(file, identity, 'at-removal')).toBe('none')
  },
)

/** Starts a program that runs until the test ends. Resolves once the program is ready. */
const startRecorder = async (command: string, ...args: readonly string[]) => {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
}

const makeMemoryFolder = () => {
  const folder = mkdtempSync('/dev/shm/sluice-writers-')
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

test.each([
  ['open', ['sh', '-c', 'exec 3<>"$0"; echo open; read line']],
  ['mapped', ['python3', '-c', mapAndClose('ACCESS_WRITE')]],
] as const)(
  'at a removal, a recording below /dev counts as open if another process has it %s',
  needs(linux, program('python3')),
  async (_, [command, ...args]) => {
    const file = path.join(makeMemoryFolder(), 'take.bin')
    writeFileSync(file, 'x'.repeat(8192))
    await startRecorder(command, ...args, file)
    const { writerOf } = createOpenWriters(systemClock, silent, true)
    expect(await writerOf(file, identityAt(file), 'at-removal')).toBe('open')
  },
)

test('no check fails while a process opens and closes the file all the time', needs(linux), async () => {
  const file = path.join(temporaryFolder(), 'take.bin')
  writeFileSync(file, 'x')
  const { writerOf } = createOpenWriters(systemClock, silent, true)
  const writer = spawn('sh', ['-c', 'while :; do : >> "$0"; done', file], { stdio: 'ignore' })
  onTestFinished(() => void writer.kill('SIGKILL'))
  for (let check = 0; check < 500; check += 1)
    expect(['none', 'open']).toContain(await writerOf(file, identityAt(file), 'before-removal'))
})

/** A program that registers the file with an io_uring and closes its own descriptor. */
const REGISTER = `
import ctypes, os, sys
libc = ctypes.CDLL(None)
ring = libc.syscall(425, 4, (ctypes.c_uint8 * 120)())
fd = os.open(sys.argv[1], os.O_RDWR)
if ring < 0 or libc.syscall(427, ring, 2, (ctypes.c_int * 1)(fd), 1) != 0: sys.exit(1)
os.close(fd)
print("registered", flush=True)
sys.stdin.readline()
`

/** Some containers forbid io_uring. */
const ringAllowed: Need = () => {
  const { status } = spawnSync('python3', ['-c', REGISTER, import.meta.filename], { input: '\n' })
  return status === 0 ? null : 'io_uring'
}

test(
  'at a removal, a file that an io_uring holds counts as open',
  needs(linux, program('python3'), ringAllowed),
  async () => {
    const file = path.join(temporaryFolder(), 'take 1.bin')
    writeFileSync(file, 'x')
    await startRecorder('python3', '-c', REGISTER, file)
    const { writerOf } = createOpenWriters(systemClock, silent, true)
    expect(await writerOf(file, identityAt(file))).toBe('none')
    expect(await writerOf(file, identityAt(file), 'at-removal')).toBe('open')
  },
)

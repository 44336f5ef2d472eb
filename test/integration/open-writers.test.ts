import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { listLoopFiles, parseRingFiles } from '../../main/agent/platform/files/descriptorless-writers.ts'
import { majorMinorOf } from '../../main/agent/platform/files/device-number.ts'
import { createOpenWriters } from '../../main/agent/platform/files/open-writers.ts'
import { isMapped, parseMappings } from '../../main/agent/platform/files/proc-mappings.ts'
import {
  isInPidNamespace,
  mayWriteFilesOfUser,
  statusAllowsWriting,
  unreadBy,
  unreadIn,
  unseenWriter,
} from '../../main/agent/platform/files/unread-processes.ts'
import { typeStoresOwners } from '../../main/agent/platform/folders/network-drive.ts'
import { systemClock } from '../../shared/clock/clock.ts'
import { linux, loopDevice, needs, program } from '../support/needs.ts'
import { silent, temporaryFolder } from './platform-support.ts'

const identityAt = (file: string) => {
  const { dev, ino, uid } = statSync(file, { bigint: true })
  return { device: String(dev), inode: String(ino), ownerUid: Number(uid) }
}

test('the check at a removal sees a writer that has just opened the file', needs(linux), async () => {
  const file = path.join(temporaryFolder(), 'take.bin')
  writeFileSync(file, 'x')
  const identity = identityAt(file)
  // A clock that stands still, so the last answer never expires.
  const { writerOf } = createOpenWriters({ monotonicMs: () => 0 }, silent, true)
  expect(await writerOf(file, identity)).toBe('none')
  const writer = spawn('sh', ['-c', 'exec 3<>"$0"; echo open; read line', file], {
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  onTestFinished(() => void writer.stdin.end())
  await once(writer.stdout, 'data')
  expect(await writerOf(file, identity)).toBe('none')
  expect(await writerOf(file, identity, 'at-removal')).toBe('open')
})

test(
  'an open-file list that is older than the last write to a file does not count for that file',
  needs(linux),
  async () => {
    const file = path.join(temporaryFolder(), 'take.bin')
    writeFileSync(file, 'x')
    let nowMs = 0
    const { writerOf } = createOpenWriters({ monotonicMs: () => nowMs }, silent, true)
    expect(await writerOf(file, identityAt(file), { unchangedSinceMs: 0 })).toBe('none')
    await startRecorder('sh', '-c', 'exec 3<>"$0"; echo open; read line', file)
    nowMs = 500
    expect(await writerOf(file, identityAt(file), { unchangedSinceMs: 0 })).toBe('none')
    expect(await writerOf(file, identityAt(file), { unchangedSinceMs: 400 })).toBe('open')
  },
)

/** Starts a program that runs until the test ends. Resolves once the program is ready. */
const startRecorder = async (command: string, ...args: readonly string[]) => {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
}

/** Opens the file, sends its descriptor through a socket that nobody reads, and closes the file. */
const SEND = `
import os, socket, sys
ours, theirs = socket.socketpair()
fd = os.open(sys.argv[1], os.O_RDWR)
socket.send_fds(ours, [b"x"], [fd])
os.close(fd)
print("sent", flush=True)
sys.stdin.readline()
`

test(
  'the check at a removal sees a writer that no list of open files shows',
  needs(linux, program('python3')),
  async () => {
    const file = path.join(temporaryFolder(), 'take.bin')
    writeFileSync(file, 'x')
    const { writerOf } = createOpenWriters(systemClock, silent, true)
    expect(await writerOf(file, identityAt(file), 'at-removal')).toBe('none')
    await startRecorder('python3', '-c', SEND, file)
    expect(await writerOf(file, identityAt(file))).toBe('none')
    expect(await writerOf(file, identityAt(file), 'at-removal')).toBe('open')
  },
)

test('reads the files of an io_uring from its fdinfo text', () => {
  const files =
    'UserFiles:\t3\n    0: /data/a\\040b.bin\n    2: socket:[7]\n    3: /data/c.bin\nUserBufs:\t1\n    0: /no\n'
  expect(parseRingFiles(`SqMask:\t0x3\n${files}PollList:\n`)).toEqual(['/data/a b.bin', '/data/c.bin'])
  expect(parseRingFiles('pos:\t0\nUserFiles:\t0\nUserBufs:\t0\n')).toEqual([])
})

test('lists the files behind writable loop devices', () => {
  const devices = temporaryFolder()
  const device = (name: string, readOnly: string, file: string | null) => {
    mkdirSync(path.join(devices, name, 'loop'), { recursive: true })
    writeFileSync(path.join(devices, name, 'ro'), `${readOnly}\n`)
    if (file !== null) writeFileSync(path.join(devices, name, 'loop/backing_file'), `${file}\n`)
  }
  device('loop0', '0', '/data/image 1.bin')
  device('loop1', '1', '/snap/core.snap')
  device('loop2', '0', null)
  device('sda', '0', '/data/other.bin')
  expect(listLoopFiles(devices)).toEqual(['/data/image 1.bin'])
  expect(listLoopFiles(path.join(devices, 'missing'))).toEqual([])
})

test(
  'the check at a removal reports a file behind a loop device as open',
  needs(linux, program('losetup'), loopDevice),
  async () => {
    const file = path.join(temporaryFolder(), 'image.bin')
    writeFileSync(file, Buffer.alloc(1024 * 1024))
    const device = execFileSync('losetup', ['--find', '--show', file], { encoding: 'utf8' }).trim()
    onTestFinished(() => void execFileSync('losetup', ['--detach', device]))
    const { writerOf } = createOpenWriters(systemClock, silent, true)
    expect(await writerOf(file, identityAt(file), 'at-removal')).toBe('open')
  },
)

test('sees two open files that had the same temporary name', needs(linux), async () => {
  const folder = temporaryFolder()
  const script = `cd "$0"
    exec 3>tmp.part; ln tmp.part first.bin; rm tmp.part
    exec 4>tmp.part; ln tmp.part second.bin; rm tmp.part
    echo open; read line`
  await startRecorder('sh', '-c', script, folder)
  const { writerOf } = createOpenWriters(systemClock, silent, true)
  for (const name of ['first.bin', 'second.bin']) {
    const file = path.join(folder, name)
    expect(await writerOf(file, identityAt(file), 'at-removal')).toBe('open')
  }
})

const mappingOf = (device: string, inode: string, file: string) =>
  parseMappings(`7f00-7f01 rw-s 00000000 ${device} ${inode}    ${file}\n`)

test('recognises a mapped file by its device and inode, or by its path if the device numbers differ', async () => {
  const file = path.join(temporaryFolder(), 'take.bin')
  const otherFile = `${file}.beside`
  writeFileSync(file, 'x')
  writeFileSync(otherFile, 'x')
  const { dev, ino } = statSync(file, { bigint: true })
  const identity = { device: String(dev), inode: String(ino) }
  const ownDevice = majorMinorOf(identity.device)
  const hex = (number: bigint) => number.toString(16).padStart(2, '0')
  const device = `${hex(ownDevice.major)}:${hex(ownDevice.minor)}`
  const inode = String(ino)
  const isMappedBy = (...mapping: Parameters<typeof mappingOf>) =>
    isMapped(mappingOf(...mapping), file, identity, (at) => stat(at, { bigint: true }))
  expect(await isMappedBy(device, inode, '/another/name')).toBe(true)
  expect(await isMappedBy(device, `${inode}0`, '/another/name')).toBe(false)
  // btrfs: a nested volume has its own device number, which `maps` does not show.
  expect(await isMappedBy('00:2a', inode, file)).toBe(true)
  expect(await isMappedBy('00:2a', inode, otherFile)).toBe(false)
  // A process in a container may show a path that does not exist outside the container.
  expect(await isMappedBy('00:2a', inode, '/no/such/place/take.bin')).toBe(true)
  // overlayfs: `maps` may show the inode number of the layer.
  expect(await isMappedBy('00:2a', `${inode}0`, file)).toBe(true)
  // Files on block devices with different numbers are different files.
  if (ownDevice.major !== 0n) expect(await isMappedBy('fd:63', inode, '/no/such/place/take.bin')).toBe(false)
  expect(await isMappedBy('00:01', inode, '/memfd:shared (deleted)')).toBe(false)
  expect(await isMappedBy('00:2a', inode, `${file} (deleted)`)).toBe(false)
})

test('the writer of a file may be unknown if Sluice cannot read a process', needs(linux), () => {
  const ownUid = process.getuid?.()
  const systemError = (code: string) => Object.assign(new Error(), { code, syscall: 'scandir' })
  const init = statusWith('systemd', ownUid === 0 ? '7' : '0')
  expect(statusAllowsWriting(init, ownUid)).toBe(false)
  expect(unreadBy(systemError('EACCES'), 'none such')).toBe('other-users')
  expect(unreadBy(systemError('EACCES'), '1')).toBe('other-users')
  expect(unreadBy(systemError('ENOENT'), 'self')).toBe('none')
  expect(unreadBy(systemError('ESRCH'), 'self')).toBe('none')
  for (const code of ['EMFILE', 'ENFILE', 'ENOMEM', 'EIO'])
    expect(unreadBy(systemError(code), 'self'), code).toBe('any')
  // /proc with hidepid does not list the first process.
  expect([unreadIn(['1', '7']), unreadIn(['7'])]).toEqual(['none', 'own'])
  const writersFor = (owner: number | undefined) =>
    (['none', 'other-users', 'own', 'any'] as const).map((unread) => unseenWriter(unread, owner))
  expect(writersFor(-1)).toEqual(['none', 'unseen', 'unseen', 'unseen'])
  expect(writersFor(ownUid)).toEqual(['none', 'none', 'unlikely', 'unseen'])
})

test('only the first PID namespace shows every process of this PC', () => {
  expect(isInPidNamespace(() => 'pid:[4026531836]')).toBe(false)
  expect(isInPidNamespace(() => 'pid:[4026532201]')).toBe(true)
  const refuse = () => {
    throw Object.assign(new Error(), { code: 'EACCES' })
  }
  expect(isInPidNamespace(refuse)).toBe(true)
})

const statusWith = (name: string, user: string) =>
  `Name:\t${name}\nState:\tS (sleeping)\nUid:\t${[user, user, user, user].join('\t')}\nGid:\t0\t0\t0\t0\n`

test('an unreadable process of a user may write the files of this user', needs(linux), () => {
  const accessError = Object.assign(new Error(), { code: 'EACCES', syscall: 'scandir' })
  expect(unreadBy(accessError, 'self')).toBe('own')
  expect(statusAllowsWriting(statusWith('recorder', '1000'), 1000)).toBe(true)
  expect(statusAllowsWriting(statusWith('recorder', '10000'), 1000)).toBe(false)
  // The process opened its file as this user and changed its user afterwards.
  expect(statusAllowsWriting('Name:\trecorder\nUid:\t1000\t0\t0\t0\n', 1000)).toBe(true)
  expect(statusAllowsWriting(statusWith('(sd-pam)', '1000'), 1000)).toBe(false)
  const capabilities = (all: string) => `${statusWith('recorder', '1000')}CapPrm:\t${all}\n`
  expect(statusAllowsWriting(capabilities('0000000000800000'), 1000)).toBe(true)
  // A daemon that was root and became this user has no capabilities left. Unlike a browser, it has no seccomp filter.
  expect(statusAllowsWriting(`${capabilities('0000000000000000')}Seccomp:\t0\n`, 1000)).toBe(true)
  expect(statusAllowsWriting(`${statusWith('ssh-agent', '1000')}Seccomp:\t0\n`, 1000)).toBe(false)
})

test('a recorder started with sudo may be the writer of a file of this user', needs(linux), () => {
  const processes: Readonly<Record<string, string>> = {
    '10': `${statusWith('bash', '1000')}PPid:\t1\n`,
    '11': `${statusWith('sudo', '0')}PPid:\t10\n`,
    '12': `${statusWith('recorder', '0')}PPid:\t11\n`,
    '20': `${statusWith('recorder', '0')}PPid:\t1\n`,
    '30': `${statusWith('fusermount3', '0')}PPid:\t10\n`,
    '40': `${statusWith('kworker', '0')}PPid:\t41\n`,
    '41': `${statusWith('kworker', '0')}PPid:\t40\n`,
  }
  const mayHold = (pid: string) => mayWriteFilesOfUser(pid, 1000, (parent) => processes[parent] ?? '')
  expect(mayHold('12')).toBe(true)
  expect(['20', '30', '40', '99'].filter(mayHold)).toEqual([])
})

test('Samba may be the writer of a file of any user', needs(linux), () => {
  expect(statusAllowsWriting(`${statusWith('smbd', '0')}CapPrm:\t000001ffffffffff\n`, 1000)).toBe(true)
  expect(statusAllowsWriting(`${statusWith('smbd[10.0.0.7]', '0')}`, 1000)).toBe(true)
})

test('a sandboxed browser, such as Sluice’s own window, does not delay removals', needs(linux), () => {
  const browser = `${statusWith('electron', '1000')}CapPrm:\t0000000000000000\nSeccomp:\t2\n`
  expect(statusAllowsWriting(browser, 1000)).toBe(false)
})

test('the owner of a file counts only on a drive that stores owners', () => {
  const [ext4, overlay, fat, exfat, ntfs, fuse, smb] = [
    0xef53, 0x794c7630, 0x4d44, 0x2011bab0, 0x7366746e, 0x65735546, 0xff534d42,
  ]
  expect([ext4, overlay].map(typeStoresOwners)).toEqual([true, true])
  expect([fat, exfat, ntfs, fuse, smb].map(typeStoresOwners)).toEqual([false, false, false, false, false])
  expect(unseenWriter('other-users', undefined)).toBe('unseen')
})

import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { DriveCalls } from '../../main/agent/platform/files/drive-calls.ts'
import { createFileOperations } from '../../main/agent/platform/files/file-operations.ts'
import { linux, mountedDisk, needs, posix, root } from '../support/needs.ts'
import { createPattern, identityAt, never, temporaryFolder } from './platform-support.ts'

/** Sluice changes recorded files only with the operations tested here. The tests run them on a real drive. */

const operationsIn = (root: string) =>
  createFileOperations(
    (file) => file,
    () => root,
  )

test('renames only the expected file; a different file keeps its name', async () => {
  const folder = temporaryFolder()
  const operations = operationsIn(folder)
  const [file, hidden, other] = ['take.bin', 'aside', 'other'].map((name) => path.join(folder, name)) as [
    string,
    string,
    string,
  ]
  writeFileSync(file, 'one')
  const identity = await identityAt(file)
  writeFileSync(other, 'two')
  renameSync(other, file)
  expect(await operations.hide(file, hidden, identity)).toEqual({ kind: 'changed' })
  expect(readFileSync(file, 'utf8')).toBe('two')
  // Only the ctime differs, as if a program had edited the file and restored its mtime.
  const identityBefore = await identityAt(file)
  const earlierIdentity = { ...identityBefore, ctimeNs: String(BigInt(identityBefore.ctimeNs) - 1n) }
  expect(await operations.hide(file, hidden, earlierIdentity)).toEqual({ kind: 'changed' })
  expect(existsSync(file)).toBe(true)
  const hideResult = await operations.hide(file, hidden, identityBefore)
  expect(hideResult).toEqual({ kind: 'done', identity: await identityAt(hidden) })
  expect(readdirSync(folder)).toEqual(['aside'])
  expect(await operations.hide(file, hidden, identity)).toEqual({ kind: 'vanished' })
})

test.each(['delete', 'move'])(
  'does not %s a file that was written through an old handle after the rename',
  async (action) => {
    const folder = temporaryFolder()
    const operations = operationsIn(folder)
    const [file, hidden, to] = ['take.bin', 'aside', 'to'].map((name) => path.join(folder, name)) as [
      string,
      string,
      string,
    ]
    writeFileSync(file, 'as it was uploaded')
    const identity = await identityAt(file)
    const writer = openSync(file, 'r+')
    const hideResult = await operations.hide(file, hidden, identity)
    if (hideResult.kind !== 'done') throw new Error(hideResult.kind)
    writeSync(writer, 'written late')
    utimesSync(hidden, statSync(hidden).atime, new Date(Number(BigInt(identity.mtimeNs) / 1_000_000n)))
    closeSync(writer)
    const result =
      action === 'delete'
        ? operations.remove(hidden, hideResult.identity)
        : operations.place(hidden, to, hideResult.identity)
    expect(await result).toEqual({ kind: 'changed' })
    expect(await operations.place(hidden, file)).toEqual({ kind: 'done' })
    expect(readFileSync(file, 'utf8')).toMatch(/^written late/)
    expect(readdirSync(folder)).toEqual(['take.bin'])
  },
)

test('an existing file is never overwritten', async () => {
  const folder = temporaryFolder()
  const operations = operationsIn(folder)
  const [from, to] = [path.join(folder, 'from'), path.join(folder, 'to')]
  writeFileSync(from, 'ours')
  writeFileSync(to, 'theirs')
  expect(await operations.place(from, to)).toEqual({ kind: 'taken' })
  expect(await operations.copy(from, to, await identityAt(from), never)).toEqual({ kind: 'taken' })
  expect([readFileSync(from, 'utf8'), readFileSync(to, 'utf8')]).toEqual(['ours', 'theirs'])
  expect(await operations.place(from, path.join(folder, 'free'))).toEqual({ kind: 'done' })
  expect(readFileSync(path.join(folder, 'free'), 'utf8')).toBe('ours')
})

test('a copy is complete and keeps the mtime; a changed file is not copied', async () => {
  const folder = temporaryFolder()
  const operations = operationsIn(folder)
  const [from, to] = [path.join(folder, 'from'), path.join(folder, 'to')]
  writeFileSync(from, createPattern(1_500_000))
  const identity = await identityAt(from)
  expect(await operations.copy(from, to, identity, never)).toEqual({ kind: 'done' })
  expect(readFileSync(to).equals(readFileSync(from))).toBe(true)
  expect(Math.abs(statSync(to).mtimeMs - statSync(from).mtimeMs)).toBeLessThan(1)
  writeFileSync(from, createPattern(1_500_000, 2))
  expect(await operations.copy(from, path.join(folder, 'again'), identity, never)).toEqual({
    kind: 'changed',
  })
  expect(existsSync(path.join(folder, 'again'))).toBe(false)
})

test(
  'a copy has the permissions of the original, and a new folder has those of its parent folder',
  needs(posix),
  async () => {
    const folder = temporaryFolder()
    chmodSync(folder, 0o755)
    const operations = operationsIn(folder)
    const from = path.join(folder, 'from')
    writeFileSync(from, 'x')
    for (const mode of [0o640, 0o600, 0o664]) {
      chmodSync(from, mode)
      const to = path.join(folder, `to-${mode}`)
      expect(await operations.copy(from, to, await identityAt(from), never)).toEqual({ kind: 'done' })
      expect(statSync(to).mode & 0o777).toBe(mode)
    }
    expect(await operations.makeFolder(path.join(folder, 'night/one'))).toEqual({ kind: 'done' })
    expect(statSync(path.join(folder, 'night/one')).mode & 0o777).toBe(0o755)
    chmodSync(path.join(folder, 'night'), 0o700)
    await operations.makeFolder(path.join(folder, 'night/two'))
    expect(statSync(path.join(folder, 'night/two')).mode & 0o777).toBe(0o700)
  },
)

test(
  'a copy has the group of the original, and a new folder has the group of its parent folder',
  needs(posix, root),
  async () => {
    const LAB = 65_500
    const folder = temporaryFolder()
    const operations = operationsIn(folder)
    const [from, to] = [path.join(folder, 'from'), path.join(folder, 'to')]
    writeFileSync(from, 'x')
    chownSync(from, -1, LAB)
    expect(await operations.copy(from, to, await identityAt(from), never)).toEqual({ kind: 'done' })
    expect(statSync(to).gid).toBe(LAB)
    chownSync(folder, -1, LAB)
    await operations.makeFolder(path.join(folder, 'night'))
    expect(statSync(path.join(folder, 'night')).gid).toBe(LAB)
  },
)

test('a folder swapped for a link gives no access to files outside', needs(posix), async () => {
  const folder = temporaryFolder()
  const outside = temporaryFolder()
  mkdirSync(path.join(folder, 'night'))
  writeFileSync(path.join(folder, 'night/take.bin'), 'ours')
  const identity = await identityAt(path.join(folder, 'night/take.bin'))
  renameSync(path.join(folder, 'night'), path.join(outside, 'night'))
  symlinkSync(path.join(outside, 'night'), path.join(folder, 'night'))
  const file = path.join(folder, 'night/take.bin')
  const result = await operationsIn(folder).hide(file, path.join(folder, 'night/aside'), identity)
  expect(result).toEqual({ kind: 'changed' })
  expect(readFileSync(path.join(outside, 'night/take.bin'), 'utf8')).toBe('ours')
})

test(
  'on a full drive, a copy fails and leaves no partial file; on a read-only drive, a rename fails',
  needs(mountedDisk),
  async () => {
    const { execFileSync } = await import('node:child_process')
    const folder = temporaryFolder()
    const small = path.join(folder, 'small')
    mkdirSync(small)
    const operations = operationsIn(folder)
    const from = path.join(folder, 'from')
    writeFileSync(from, createPattern(300_000))
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', small])
    try {
      const identity = await identityAt(from)
      expect(await operations.copy(from, path.join(small, 'copy'), identity, never)).toEqual({ kind: 'full' })
      expect(readdirSync(small)).toEqual([])
      expect(await operations.place(from, path.join(small, 'placed'))).toEqual({ kind: 'other-drive' })
      expect(await operations.sameDrive(from, small)).toBe(false)
      writeFileSync(path.join(small, 'take'), 'x')
      const takeIdentity = await identityAt(path.join(small, 'take'))
      execFileSync('mount', ['-o', 'remount,ro', small])
      expect(
        await operations.hide(path.join(small, 'take'), path.join(small, 'aside'), takeIdentity),
      ).toMatchObject({
        kind: 'refused',
      })
      expect(readdirSync(small)).toEqual(['take'])
    } finally {
      execFileSync('umount', ['-l', small])
    }
  },
)

test.each(['linux', 'darwin'] as const)(
  'a link in the move target gives no access to folders outside: %s',
  needs(linux),
  async (platform) => {
    const [archive, outside] = [temporaryFolder(), temporaryFolder()]
    const operations = createFileOperations(
      (file) => file,
      () => archive,
      new DriveCalls(),
      platform,
    )
    const at = (...names: string[]) => path.join(archive, ...names)
    symlinkSync(outside, at('night'))
    writeFileSync(at('from'), 'ours')
    writeFileSync(path.join(outside, 'theirs'), 'theirs')
    const [identity, theirIdentity] = [
      await identityAt(at('from')),
      await identityAt(path.join(outside, 'theirs')),
    ]
    const refusal = { kind: 'refused', detail: 'it lies outside the watched folder' }
    expect(await operations.makeFolder(at('night', 'deeper'))).toEqual(refusal)
    expect(await operations.copy(at('from'), at('night', 'copy'), identity, never)).toEqual(refusal)
    expect(await operations.place(at('from'), at('night', 'placed'))).toEqual(refusal)
    expect(await operations.place(at('night', 'theirs'), at('mine'))).toEqual(refusal)
    expect(await operations.remove(at('night', 'theirs'))).toEqual(refusal)
    expect(await operations.hide(at('night', 'theirs'), at('night', 'aside'), theirIdentity)).toEqual({
      kind: 'changed',
    })
    expect(readdirSync(outside)).toEqual(['theirs'])
    expect(await operations.remove(at('..', path.basename(outside), 'theirs'))).toEqual(refusal)
    // Inside the folder everything works.
    expect(await operations.makeFolder(at('day', 'deeper'))).toEqual({ kind: 'done' })
    expect(await operations.copy(at('from'), at('day', 'deeper', 'copy'), identity, never)).toEqual({
      kind: 'done',
    })
    expect(await operations.place(at('from'), at('day', 'placed'))).toEqual({ kind: 'done' })
    expect(await operations.remove(at('day', 'placed'))).toEqual({ kind: 'done' })
    expect(readdirSync(at('day', 'deeper'))).toEqual(['copy'])
  },
)

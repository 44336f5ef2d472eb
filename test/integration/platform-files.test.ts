import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createPlatform } from '../../main/agent/platform/platform.ts'
import { linux, mountedDisk, needs } from '../support/needs.ts'
import { silent, temporaryFolder } from './platform-support.ts'

const clockAt = (start: number) => {
  let nowMs = start
  return { monotonicMs: () => nowMs, wallMs: () => nowMs, advance: (ms: number) => (nowMs += ms) }
}

const createFiles = (clock = clockAt(5000)) => {
  const platform = createPlatform({
    clock,
    log: silent,
    watchedFolders: () => [],
    knownFolders: () => [],
    recordersInContainer: true,
  })
  return platform.files
}

/** Starts a process that holds the file open in the given mode. Resolves once the file is open. */
const holdOpen = async (path: string, flags: string): Promise<ChildProcess> => {
  const script = `require('fs').openSync(process.argv[1], process.argv[2]); console.log('open'); setInterval(() => {}, 1e6)`
  const child = spawn(process.execPath, ['-e', script, path, flags], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout!, 'data')
  return child
}

/** Runs in a separate process, because another test may have loaded `koffi` in this one. */
const listLoadedLibraries = `
import { createPlatform } from ${JSON.stringify(resolve('main/agent/platform/platform.ts'))}
const log = { debug() {}, info() {}, warn() {}, error() {} }
const clock = { monotonicMs: () => 5000, wallMs: () => 5000 }
const platform = createPlatform({ clock, log, watchedFolders: () => [], knownFolders: () => [], recordersInContainer: true })
await platform.files.inspect(process.argv[1])
process.stdout.write(JSON.stringify(process.report.getReport().sharedObjects), () => process.exit())
`

it('on Linux, inspecting a file loads no library for native calls', needs(linux), () => {
  const path = join(temporaryFolder(), 'a.wav')
  writeFileSync(path, 'x')
  const libraries = execFileSync(
    process.execPath,
    ['--input-type=module', '--eval', listLoadedLibraries, path],
    {
      encoding: 'utf8',
    },
  )
  expect(libraries).toContain('libc')
  expect(libraries).not.toContain('koffi')
})

describe('identifying a file', () => {
  it('returns the same identity for an unchanged file, and a different one after the file is replaced', async () => {
    const files = createFiles()
    const path = join(temporaryFolder(), 'a.wav')
    writeFileSync(path, 'x')
    const first = await files.identify(path)
    expect(await files.identify(path)).toEqual(first)
    writeFileSync(`${path}.new`, 'x')
    renameSync(`${path}.new`, path)
    expect(await files.identify(path)).not.toEqual(first)
  })

  it('explains why a path is not a file', async () => {
    const files = createFiles()
    const root = temporaryFolder()
    mkdirSync(join(root, 'folder.wav'))
    writeFileSync(join(root, 'real.wav'), 'x')
    symlinkSync('real.wav', join(root, 'link.wav'))
    const vanished = { ok: false, failure: { kind: 'file-vanished' } }
    const unreadable = { ok: false, failure: { kind: 'file-unreadable' } }
    for (const operation of [files.identify, files.inspect, files.open]) {
      expect(await operation(join(root, 'none.wav'))).toMatchObject(vanished)
      expect(await operation(join(root, 'real.wav', 'below.wav'))).toMatchObject(vanished)
      expect(await operation(join(root, 'folder.wav'))).toMatchObject(unreadable)
      expect(await operation(join(root, 'link.wav'))).toMatchObject(unreadable)
    }
    expect(await files.exists(join(root, 'real.wav'))).toBe(true)
    expect(await files.exists(join(root, 'none.wav'))).toBe(false)
    expect(await files.freeBytes(root)).toBeGreaterThan(0)
    expect(await files.freeBytes(join(root, 'none'))).toBeNull()
  })
})

describe('inspecting a file', () => {
  it('reads the first and the last bytes of a recording', async () => {
    const files = createFiles()
    const path = join(temporaryFolder(), 'a.mcap')
    const magic = Buffer.from([0x89, 0x4d, 0x43, 0x41, 0x50, 0x30, 0x0d, 0x0a])
    const unfinished = { ok: true, value: { format: 'mcap', complete: 'no', writer: 'none' } }
    writeFileSync(path, Buffer.concat([magic, Buffer.alloc(5_000_000)]))
    expect(await files.inspect(path)).toMatchObject(unfinished)
    writeFileSync(path, magic, { flag: 'a' })
    expect(await files.inspect(path)).toMatchObject({
      ...unfinished,
      value: { ...unfinished.value, complete: 'yes' },
    })
  })

  it(
    'reports that another PC may have it open if its drive is not known to be local',
    needs(linux),
    async () => {
      const path = join(temporaryFolder(), 'a.bin')
      writeFileSync(path, 'x')
      const [localFile, otherFile] = [
        await createFiles().inspect(path),
        await createFiles().inspect('/proc/version'),
      ]
      expect(localFile).not.toHaveProperty('value.shared')
      // `/proc` has a drive type that is not known to be local.
      expect(otherFile).toMatchObject({ ok: true, value: { complete: 'unknown', shared: true } })
    },
  )

  it(
    'reports that a program may have it open in the layer below an overlay',
    needs(mountedDisk),
    async () => {
      const root = temporaryFolder()
      const [lower, upper, work, merged] = ['lower', 'upper', 'work', 'merged'].map((name) => {
        const folder = join(root, name)
        mkdirSync(folder)
        return folder
      }) as [string, string, string, string]
      const options = `lowerdir=${lower},upperdir=${upper},workdir=${work}`
      execFileSync('mount', ['-t', 'overlay', 'overlay', '-o', options, merged])
      onTestFinished(() => void execFileSync('umount', [merged]))
      writeFileSync(join(upper, 'a.bin'), 'x')
      await holdOpen(join(upper, 'a.bin'), 'a')
      expect(await createFiles().inspect(join(merged, 'a.bin'))).toMatchObject({ value: { shared: true } })
    },
  )

  it('detects that another process has it open for writing', needs(linux), async () => {
    const clock = clockAt(5000)
    const files = createFiles(clock)
    const root = temporaryFolder()
    const isWritten = async (name: string) => {
      const outcome = await files.inspect(join(root, name))
      return outcome.ok && outcome.value.writer === 'open'
    }
    for (const name of ['written', 'appended', 'read']) writeFileSync(join(root, name), 'x')
    const writer = await holdOpen(join(root, 'written'), 'r+')
    await holdOpen(join(root, 'appended'), 'a')
    await holdOpen(join(root, 'read'), 'r')
    expect(await isWritten('written')).toBe(true)
    expect(await isWritten('appended')).toBe(true)
    expect(await isWritten('read')).toBe(false)
    // The check follows the file, not the name.
    renameSync(join(root, 'written'), join(root, 'renamed'))
    expect(await isWritten('renamed')).toBe(true)
    writer.kill('SIGKILL')
    await once(writer, 'exit')
    expect(await isWritten('renamed'), 'answered from the check of less than a second ago').toBe(true)
    clock.advance(1000)
    expect(await isWritten('renamed')).toBe(false)
    expect(await isWritten('appended')).toBe(true)
  })
})

import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { scanFolder, volumeOf } from '../../main/agent/platform/folders/folder-scan.ts'
import type { ScanResult } from '../../main/agent/ports/folders.ts'
import type { FolderSettings } from '../../shared/settings/settings.ts'
import { linux, needs, posix } from '../support/needs.ts'
import { folderSettings, identityAt, never, temporaryFolder } from './platform-support.ts'

const FILES = 4_000

const scan = async (path: string, rules: Partial<FolderSettings> = {}) => {
  const result = await scanFolder(folderSettings(path, rules), never)
  if (result.kind !== 'scanned') throw new Error(`${result.kind}: ${result.detail}`)
  return { ...result, paths: result.files.map((file) => file.path).sort() }
}

describe('scanning a folder', () => {
  it('finds files in subfolders, and gives each file the same identity as `identifyFile`', async () => {
    const root = temporaryFolder()
    mkdirSync(join(root, 'a/b'), { recursive: true })
    for (const name of ['one.wav', 'a/two.wav', 'a/b/three.wav']) writeFileSync(join(root, name), name)
    const { files, paths, unreadableNames, unreadablePaths } = await scan(root)
    expect(paths).toEqual(['a/b/three.wav', 'a/two.wav', 'one.wav'].map((name) => join(root, name)))
    for (const { path, identity } of files) expect(identity).toEqual(await identityAt(path))
    expect([unreadableNames, unreadablePaths]).toEqual([[], []])
    expect((await scan(root, { recursive: false })).paths).toEqual([join(root, 'one.wav')])
  })

  it('finds every name that the disk can hold', async () => {
    const root = temporaryFolder()
    const names = [
      'emoji 😀🎙.wav',
      'line\nbreak.wav',
      'ü'.normalize('NFC'),
      'ü'.normalize('NFD'),
      'x'.repeat(255),
    ]
    names.push(`${'é'.repeat(127)}x`, ' leading', 'back\\slash', '*?[a]{b}', '-rf', '\u2028')
    for (const name of names) writeFileSync(join(root, name), name)
    expect((await scan(root)).paths).toEqual(names.map((name) => join(root, name)).sort())
  })

  it('reports names that are not valid UTF-8, and scans the rest', needs(linux), async () => {
    const root = temporaryFolder()
    const badName = (...bytes: number[]) => Buffer.concat([Buffer.from(`${root}/bad-`), Buffer.from(bytes)])
    writeFileSync(badName(0xff), 'x')
    writeFileSync(Buffer.concat([badName(0xfe), Buffer.from('.tmp')]), 'an excluded file')
    mkdirSync(badName(0xc3))
    writeFileSync(Buffer.concat([badName(0xc3), Buffer.from('/inside.wav')]), 'x')
    writeFileSync(join(root, 'good.wav'), 'x')
    const { paths, unreadableNames } = await scan(root)
    expect(paths).toEqual([join(root, 'good.wav')])
    expect([...unreadableNames].sort()).toEqual(['bad-\\xc3', 'bad-\\xff'])
  })

  it('finds regular files only, and follows no link', async () => {
    const root = temporaryFolder()
    const outside = temporaryFolder()
    writeFileSync(join(outside, 'secret.wav'), 'x')
    writeFileSync(join(root, 'real.wav'), 'x')
    symlinkSync(outside, join(root, 'folder-out'))
    symlinkSync(join(outside, 'secret.wav'), join(root, 'file-out.wav'))
    symlinkSync('real.wav', join(root, 'file-in.wav'))
    symlinkSync('.', join(root, 'loop'))
    symlinkSync('nowhere', join(root, 'dangling.wav'))
    spawnSync('mkfifo', [join(root, 'pipe.wav')])
    expect((await scan(root)).paths).toEqual([join(root, 'real.wav')])
  })

  it('reports a missing folder as offline, and finds it again when it is back', async () => {
    const root = join(temporaryFolder(), 'drive')
    mkdirSync(root)
    writeFileSync(join(root, 'a.wav'), 'x')
    const scanBefore = await scan(root)
    renameSync(root, `${root}-away`)
    expect((await scanFolder(folderSettings(root), never)).kind).toBe('offline')
    expect(await volumeOf(root)).toBeNull()
    renameSync(`${root}-away`, root)
    expect(await scan(root)).toEqual(scanBefore)
    expect(await volumeOf(root)).toEqual(scanBefore.volume)
  })

  it('detects that a folder at the same path is a new one', async () => {
    const root = join(temporaryFolder(), 'drive')
    mkdirSync(root)
    const volumeBefore = await volumeOf(root)
    renameSync(root, `${root}-away`)
    mkdirSync(root)
    expect(await volumeOf(root)).not.toEqual(volumeBefore)
  })

  it('reports a folder path that leads to a file as unusable', async () => {
    const path = join(temporaryFolder(), 'a.wav')
    writeFileSync(path, 'x')
    expect((await scanFolder(folderSettings(path), never)).kind).toBe('unusable')
    expect((await scanFolder(folderSettings(join(path, 'below')), never)).kind).toBe('unusable')
    expect(await volumeOf(path)).toBeNull()
  })

  it('reports an unreadable subfolder, and scans the rest', needs(posix), () => {
    const root = temporaryFolder()
    chmodSync(root, 0o755)
    mkdirSync(join(root, 'closed'))
    writeFileSync(join(root, 'open.wav'), 'x')
    chmodSync(join(root, 'closed'), 0)
    const result = scanWithoutRootRights(root)
    expect(result.kind === 'scanned' && result.files.map((file) => file.path)).toEqual([
      join(root, 'open.wav'),
    ])
    expect(result.kind === 'scanned' && result.unreadablePaths).toEqual([
      { path: join(root, 'closed'), code: 'EACCES', detail: 'permission denied (EACCES)' },
    ])
    expect(scanWithoutRootRights(join(root, 'closed')).kind).toBe('unusable')
    chmodSync(join(root, 'closed'), 0o755)
  })

  it('rejects if it is aborted before it starts or while it runs', async () => {
    const root = temporaryFolder()
    for (let at = 0; at < 1000; at += 1) writeFileSync(join(root, `${at}.wav`), '')
    await expect(scanFolder(folderSettings(root), AbortSignal.abort())).rejects.toThrow('aborted')
    const abort = new AbortController()
    const scanning = scanFolder(folderSettings(root), abort.signal)
    setImmediate(() => abort.abort())
    await expect(scanning).rejects.toThrow('aborted')
  })

  it('finds thousands of files, each once, without blocking the event loop', async () => {
    const root = temporaryFolder()
    mkdirSync(join(root, 'deep'))
    for (let at = 0; at < FILES; at += 1)
      writeFileSync(join(root, at % 3 === 0 ? 'deep' : '', `${at}.wav`), '')
    // Counts turns of the loop instead of time, because on a busy PC any turn may take long.
    let turns = 0
    let isScanning = true
    const turn = () => {
      turns += 1
      if (isScanning) setImmediate(turn)
    }
    turn()
    const { paths } = await scan(root)
    isScanning = false
    expect(new Set(paths).size).toBe(FILES)
    expect(paths.length).toBe(FILES)
    expect(turns).toBeGreaterThan(FILES / 200)
  })
})

/** Scans in a separate process, which first drops root's right to read everything. */
const scanWithoutRootRights = (path: string): ScanResult => {
  const script = join(import.meta.dirname, 'platform-scan-once.ts')
  const { stdout, stderr } = spawnSync(process.execPath, [script, path], { encoding: 'utf8' })
  if (stdout === '') throw new Error(stderr)
  return JSON.parse(stdout)
}

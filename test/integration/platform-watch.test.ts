import { execFile } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  chmodSync,
  closeSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { DriveTimeoutError } from '../../main/agent/platform/files/drive-calls.ts'
import { createEventQueue } from '../../main/agent/platform/folders/event-queue.ts'
import { scanFolder } from '../../main/agent/platform/folders/folder-scan.ts'
import { watchShare } from '../../main/agent/platform/folders/watch-share.ts'
import { watchTree } from '../../main/agent/platform/folders/watch-tree.ts'
import type { FolderWatch, WatchListener } from '../../main/agent/ports/folders.ts'
import { pathsOf } from '../../shared/paths/paths.ts'
import type { FolderSettings } from '../../shared/settings/settings.ts'
import { startEventStorm } from '../support/event-storm.ts'
import { asOrdinaryUser, linux, needs, ordinaryUser, ownWatchLimit, program } from '../support/needs.ts'
import { folderSettings, temporaryFolder } from './platform-support.ts'

const paths = pathsOf(process.platform)
const queue = createEventQueue()

type WatchWith = (folder: FolderSettings, listener: WatchListener) => FolderWatch
const asTree: WatchWith = (folder, listener) => watchTree(folder, listener, paths, queue)
const asShare: WatchWith = (folder, listener) => watchShare(folder, listener, paths, lstat)

/**
 * Starts the watch, and writes sentinel files until an event arrives. From then on, each write causes an event.
 * Events arrive in the order of the writes.
 */
const createWatchStarter =
  (watchWith: WatchWith) =>
  async (path: string, rules: Partial<FolderSettings> = {}) => {
    const hints: string[] = []
    const errors: string[] = []
    let readyEvents = 0
    const folder = folderSettings(path, rules)
    const { enter, close } = watchWith(folder, {
      ready: () => {
        readyEvents += 1
      },
      hint: (hintedPath) => hints.push(hintedPath),
      error: (detail) => errors.push(detail),
    })
    onTestFinished(close)
    /** Scans a share, as the agent does after a hint. Other folders need no scan. */
    const scan = async () => {
      if (enter !== null) await scanFolder(folder, new AbortController().signal, { enter })
    }
    const expectHint = async (name: string, act: () => void) => {
      hints.length = 0
      act()
      await vi.waitFor(() => expect(hints).toContain(join(path, name)), { timeout: 240_000, interval: 20 })
    }
    let tries = 0
    const sentinel = async () => {
      const isSentinelSeen = () => hints.some((hintedPath) => hintedPath.startsWith(join(path, 'sentinel')))
      hints.length = 0
      for (; !isSentinelSeen(); tries += 1) {
        writeFileSync(join(path, `sentinel-${tries}`), '')
        await setTimeout(20)
      }
    }
    await scan()
    await sentinel()
    return { hints, errors, expectHint, sentinel, scan, readyCount: () => readyEvents }
  }

/** Watches the folder in a separate process until the watch is ready or has failed. Returns the output. */
const runWatcher = async (folder: string, through: readonly string[]): Promise<string[]> => {
  const script = join(import.meta.dirname, '../support/watch-tree.ts')
  const [command = '', ...args] = [...through, process.execPath, script, folder]
  const { stdout } = await promisify(execFile)(command, args)
  return stdout.trim().split('\n')
}

describe.each([
  ['a folder of this PC', asTree],
  ['a share', asShare],
])('watching %s', (_, watchWith) => {
  const startWatching = createWatchStarter(watchWith)

  it('hints at files that appear, grow, arrive by rename or come in a new folder', async () => {
    const root = temporaryFolder()
    const outsideFolder = temporaryFolder()
    const { expectHint, errors, scan } = await startWatching(root)
    await expectHint('a.wav', () => writeFileSync(join(root, 'a.wav'), 'x'))
    await expectHint('a.wav', () => appendFileSync(join(root, 'a.wav'), 'y'))
    await expectHint('b.wav', () => renameSync(join(root, 'a.wav'), join(root, 'b.wav')))
    mkdirSync(join(outsideFolder, 'take'))
    writeFileSync(join(outsideFolder, 'take/c.wav'), 'x')
    await expectHint('take', () => renameSync(join(outsideFolder, 'take'), join(root, 'take')))
    await scan()
    await expectHint('take/d.wav', () => writeFileSync(join(root, 'take/d.wav'), 'x'))
    expect(errors).toEqual([])
  })

  it(
    'ends with an error if a program changes the folder faster than Sluice can read the events',
    needs(linux, program('python3')),
    async () => {
      const root = temporaryFolder()
      const { errors } = await startWatching(root)
      const storm = await startEventStorm(root, 60)
      onTestFinished(() => void storm.kill('SIGKILL'))
      await vi.waitFor(() => expect(errors).toHaveLength(1), { timeout: 120_000, interval: 20 })
      expect(errors[0]).toContain('many thousands of times per second')
      expect(storm.exitCode).toBeNull()
    },
  )

  it('gives no hint for excluded files, excluded folders and link targets', async () => {
    const root = temporaryFolder()
    const outside = temporaryFolder()
    mkdirSync(join(root, '.cache'))
    symlinkSync(outside, join(root, 'link'))
    const { hints, sentinel } = await startWatching(root)
    const silentPaths = ['.hidden', 'a.tmp', '.cache/a.wav', 'link/a.wav'].map((name) => join(root, name))
    for (const path of silentPaths) writeFileSync(path, 'x')
    await sentinel()
    expect(hints.filter((path) => silentPaths.includes(path))).toEqual([])
  })

  it('gives no hint for subfolders if the folder is not recursive', async () => {
    const root = temporaryFolder()
    mkdirSync(join(root, 'sub'))
    const { hints, sentinel } = await startWatching(root, { recursive: false })
    writeFileSync(join(root, 'sub/a.wav'), 'x')
    await sentinel()
    expect(hints).not.toContain(join(root, 'sub/a.wav'))
  })

  it('hints at a new folder with any name, but only at files that match', async () => {
    const root = temporaryFolder()
    const { hints, expectHint, scan } = await startWatching(root, { include: ['**/*.wav', 'sentinel*'] })
    await expectHint('night', () => {
      writeFileSync(join(root, 'notes.txt'), 'x')
      mkdirSync(join(root, 'night'))
    })
    expect(hints).not.toContain(join(root, 'notes.txt'))
    await scan()
    await expectHint('night/a.wav', () => writeFileSync(join(root, 'night/a.wav'), 'x'))
  })

  it('continues with a folder that was removed and created again, or renamed', async () => {
    const root = temporaryFolder()
    mkdirSync(join(root, 'night'))
    const { hints, expectHint, sentinel, scan } = await startWatching(root)
    rmSync(join(root, 'night'), { recursive: true })
    mkdirSync(join(root, 'night'))
    await sentinel()
    await scan()
    await expectHint('night/a.wav', () => writeFileSync(join(root, 'night/a.wav'), 'x'))
    await expectHint('day', () => renameSync(join(root, 'night'), join(root, 'day')))
    await sentinel()
    await scan()
    await expectHint('day/b.wav', () => writeFileSync(join(root, 'day/b.wav'), 'x'))
    expect(hints).not.toContain(join(root, 'night/b.wav'))
  })

  it('starts on a missing folder, and stops cleanly', async () => {
    const errors: string[] = []
    const path = join(temporaryFolder(), 'none')
    const { enter, close } = watchWith(folderSettings(path), {
      ready: () => {},
      hint: () => {},
      error: (detail) => errors.push(detail),
    })
    enter?.(path)
    await once(AbortSignal.timeout(100), 'abort')
    await close()
    await close()
    expect(errors).toEqual([])
  })
})

describe('watching a share', () => {
  it('watches a folder before the scan reads it, so the scan or an event shows every later file', async () => {
    const root = temporaryFolder()
    mkdirSync(join(root, 'night'))
    const hints: string[] = []
    const folder = folderSettings(root)
    const listener = {
      ready: () => {},
      hint: (hintedPath: string) => hints.push(hintedPath),
      error: () => {},
    }
    const { enter, close } = asShare(folder, listener)
    onTestFinished(close)
    const latePath = join(root, 'night/late.wav')
    const result = await scanFolder(folder, new AbortController().signal, {
      enter: async (path) => {
        await enter?.(path)
        // Sluice already watches the folder, and reads it next.
        if (path === join(root, 'night')) writeFileSync(latePath, 'x')
      },
    })
    expect(result).toMatchObject({ files: [{ path: latePath }] })
    await vi.waitFor(() => expect(hints).toContain(latePath), { timeout: 240_000 })
  })

  it('opens only the folders that are not watched yet', async () => {
    const root = temporaryFolder()
    mkdirSync(join(root, 'night'))
    const openedPaths: string[] = []
    const countingPaths = {
      ...paths,
      toOpen: (path: string) => {
        openedPaths.push(path)
        return paths.toOpen(path)
      },
    }
    const hints: string[] = []
    const folder = folderSettings(root)
    const listener = {
      ready: () => {},
      hint: (hintedPath: string) => hints.push(hintedPath),
      error: () => {},
    }
    const { enter, close } = watchShare(folder, listener, countingPaths, lstat)
    onTestFinished(close)
    const scan = () => scanFolder(folder, new AbortController().signal, { enter: enter ?? undefined })
    await scan()
    mkdirSync(join(root, 'day'))
    // Waits for the event of the new folder. If it came after the scan, it would end the new watch of `day`.
    await vi.waitFor(() => expect(hints).toContain(join(root, 'day')), { timeout: 240_000 })
    await scan()
    await scan()
    expect(openedPaths.toSorted()).toEqual([root, join(root, 'day'), join(root, 'night')])
    for (const name of ['a.wav', 'day/b.wav', 'night/c.wav']) {
      writeFileSync(join(root, name), 'x')
      await vi.waitFor(() => expect(hints).toContain(join(root, name)), { timeout: 240_000 })
    }
  })

  it('when the watch is closed, releases a scan that still waits for the watch to start', async () => {
    const root = temporaryFolder()
    const listener = { ready: () => {}, hint: () => {}, error: () => {} }
    const { enter, close } = watchShare(folderSettings(root), listener, paths, lstat)
    const entered = enter?.(root)
    close()
    await entered
  })

  it('hints at a name on a hung drive, because it may be a folder', async () => {
    const root = temporaryFolder()
    const hints: string[] = []
    const openedPaths: string[] = []
    const folder = folderSettings(root, { include: ['*.wav'] })
    const listener = {
      ready: () => {},
      hint: (hintedPath: string) => hints.push(hintedPath),
      error: () => {},
    }
    const statOf = async (hintedPath: string) => {
      openedPaths.push(hintedPath)
      if (hintedPath === join(root, 'night')) throw new DriveTimeoutError()
      return lstatSync(hintedPath)
    }
    const { enter, close } = watchShare(folder, listener, paths, statOf)
    onTestFinished(close)
    await enter?.(root)
    writeFileSync(join(root, 'notes.txt'), 'x')
    mkdirSync(join(root, 'night'))
    await vi.waitFor(() => expect(hints).toContain(join(root, 'night')), { timeout: 240_000 })
    expect(openedPaths).toContain(join(root, 'notes.txt'))
    expect(hints).not.toContain(join(root, 'notes.txt'))
  })

  it('stops watching a removed folder with few path operations, even if it watches many folders', async () => {
    let pathCalls = 0
    const counting = new Proxy(paths, {
      get: (all, name) => {
        pathCalls += 1
        return Reflect.get(all, name)
      },
    })
    const countCallsPerFolder = async (count: number): Promise<number> => {
      const root = temporaryFolder()
      const names = Array.from({ length: count }, (_, n) => join(root, `take-${n}`))
      for (const name of names) mkdirSync(join(name, 'inner'), { recursive: true })
      const hints = new Set<string>()
      const folder = folderSettings(root)
      const listener = {
        ready: () => {},
        hint: (hintedPath: string) => hints.add(hintedPath),
        error: () => {},
      }
      const { enter, close } = watchShare(folder, listener, counting, lstat)
      onTestFinished(close)
      await scanFolder(folder, new AbortController().signal, { enter: enter ?? undefined })
      pathCalls = 0
      for (const name of names) rmSync(name, { recursive: true })
      await vi.waitFor(() => expect([...hints]).toEqual(expect.arrayContaining(names)), { timeout: 240_000 })
      return pathCalls / count
    }
    const callsForFew = await countCallsPerFolder(10)
    expect(await countCallsPerFolder(200)).toBeLessThan(2 * callsForFew)
  })
})

describe('watching a folder of this PC', () => {
  const startWatching = createWatchStarter(asTree)

  it('follows a watched folder that is itself a link, and names its files by the path of the link', async () => {
    const [root, target] = [temporaryFolder(), temporaryFolder()]
    mkdirSync(join(target, 'night'))
    const link = join(root, 'recordings')
    symlinkSync(target, link)
    const { expectHint } = await startWatching(link)
    await expectHint('night/a.wav', () => writeFileSync(join(target, 'night/a.wav'), 'x'))
  })

  it('reports every file that appears after the watch is ready', async () => {
    const root = temporaryFolder()
    for (let n = 0; n < 500; n += 1) writeFileSync(join(root, `old-${n}.wav`), 'x')
    const hints: string[] = []
    const ready = Promise.withResolvers<void>()
    const listener = {
      ready: ready.resolve,
      hint: (hintedPath: string) => hints.push(hintedPath),
      error: () => {},
    }
    onTestFinished(asTree(folderSettings(root), listener).close)
    await ready.promise
    expect(hints).toEqual([])
    writeFileSync(join(root, 'a.wav'), 'x')
    await vi.waitFor(() => expect(hints).toContain(join(root, 'a.wav')), { timeout: 240_000, interval: 20 })
  })

  it(
    'after too many events, hints at every watched folder, and watches subfolders that were replaced meanwhile',
    needs(linux),
    async () => {
      const [busyFolder, quietFolder] = [temporaryFolder(), temporaryFolder()]
      mkdirSync(join(quietFolder, 'night'))
      await startWatching(busyFolder)
      const { hints, expectHint, readyCount } = await startWatching(quietFolder)
      const maxQueuedEvents = Number(readFileSync('/proc/sys/fs/inotify/max_queued_events', 'utf8'))
      const recorders = ['a.wav', 'b.wav'].map((name) => openSync(join(busyFolder, name), 'w'))
      hints.length = 0
      const readyBefore = readyCount()
      // The loop never yields, so the event queue overflows. The loop alternates between two files, because the system
      // merges consecutive writes to one file into one event.
      for (let count = 0; count <= maxQueuedEvents; count += 1) writeSync(recorders[count % 2]!, 'x')
      renameSync(join(quietFolder, 'night'), join(quietFolder, 'day'))
      mkdirSync(join(quietFolder, 'night'))
      for (const recorder of recorders) closeSync(recorder)
      await vi.waitFor(() => expect(hints).toContain(quietFolder), { timeout: 60_000, interval: 20 })
      await vi.waitFor(() => expect(readyCount()).toBe(readyBefore + 1), { timeout: 60_000, interval: 20 })
      await expectHint('night/a.wav', () => writeFileSync(join(quietFolder, 'night/a.wav'), 'x'))
    },
  )

  it('reports once that the watch limit of the system is reached', needs(ownWatchLimit), async () => {
    const root = temporaryFolder()
    for (let n = 0; n < 20; n += 1) mkdirSync(join(root, `night-${n}`))
    const limitedCommand = [
      'unshare',
      '-U',
      '-r',
      'sh',
      '-c',
      'echo 3 >/proc/sys/user/max_inotify_watches; exec "$@"',
      'sh',
    ]
    expect(await runWatcher(root, limitedCommand)).toEqual([expect.stringContaining('error The system')])
  })

  it('becomes ready even if it may not read a subfolder', needs(ordinaryUser), async () => {
    const root = temporaryFolder()
    mkdirSync(join(root, 'locked'))
    chmodSync(join(root, 'locked'), 0)
    expect(await runWatcher(root, asOrdinaryUser())).toEqual(['ready'])
  })
})

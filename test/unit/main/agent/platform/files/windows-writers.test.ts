import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import type { FileUsers } from '../../../../../../main/agent/platform/files/windows-file-users.ts'
import { createWindowsWriters } from '../../../../../../main/agent/platform/files/windows-writers.ts'

const OWN_PID = 100
const PLAYER_PID = 200
const RECORDER_PID = 300

/**
 * A model of the Restart Manager: it knows which process has which file open, and it passes the self-test of Sluice.
 */
class ModelWindows implements FileUsers {
  readonly open = new Map<string, readonly number[]>()
  readonly written = new Set<string>()
  readonly remote = new Set<string>()
  readonly sessions: (readonly string[])[] = []
  readonly probedFiles: string[] = []
  #isHeld = true

  readonly pidsOf = async (paths: readonly string[]): Promise<readonly number[]> => {
    if (paths.length === 1 && path.basename(paths[0]!) === 'held') return this.#isHeld ? [OWN_PID] : []
    this.sessions.push(paths)
    return [OWN_PID, ...paths.flatMap((one) => this.open.get(one) ?? [])]
  }
  readonly hasWriter = async (file: string): Promise<boolean> => {
    if (path.basename(file) !== 'held') {
      this.probedFiles.push(file)
      return this.written.has(file)
    }
    const wasHeld = this.#isHeld
    this.#isHeld = false
    return wasHeld
  }
  readonly isRemote = async (file: string): Promise<boolean> => this.remote.has(file)
}

let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'sluice-writers-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const fileNamed = (name: string): string => {
  const file = path.join(folder, name)
  writeFileSync(file, 'x')
  return file
}

/** When a request times out. The first request is the self-test. */
type RequestTimeout = 'at once' | 'never'
const neverAnswers = new Promise<never>(() => {})

const writersOn = (windows: FileUsers | Error, timeouts: readonly RequestTimeout[] = []) => {
  let requests = 0
  const warnings: string[] = []
  const writers = createWindowsWriters({
    load: async () => {
      if (windows instanceof Error) throw windows
      return windows
    },
    log: { info: () => {}, warn: (_message, facts) => void warnings.push(String(facts?.reason)) },
    ownPid: OWN_PID,
    sleep: async () => (timeouts[requests++] === 'at once' ? undefined : neverAnswers),
  })
  return { warnings, writerOf: (file: string) => writers.writerOf(file, { device: '1', inode: '1' }) }
}

describe('a file on Windows', () => {
  it('that a recorder has open with write sharing counts as being written', async () => {
    const windows = new ModelWindows()
    const { writerOf, warnings } = writersOn(windows)
    const file = fileNamed('take.bin')
    windows.open.set(file, [RECORDER_PID])
    windows.written.add(file)
    expect(await writerOf(file)).toBe('open')
    windows.open.delete(file)
    windows.written.delete(file)
    expect(await writerOf(file)).toBe('none')
    expect(warnings).toEqual([])
  })

  it('that is only open for reading counts as finished', async () => {
    const windows = new ModelWindows()
    const file = fileNamed('take.bin')
    windows.open.set(file, [PLAYER_PID])
    expect(await writersOn(windows).writerOf(file)).toBe('none')
  })

  it('that no other program has open is never opened in a way that could block a recorder', async () => {
    const windows = new ModelWindows()
    expect(await writersOn(windows).writerOf(fileNamed('take.bin'))).toBe('none')
    expect(windows.probedFiles).toEqual([])
  })

  it('gets its own answer among many files, and closed files share sessions', async () => {
    const windows = new ModelWindows()
    const { writerOf } = writersOn(windows)
    const files = Array.from({ length: 40 }, (_, n) => fileNamed(`${n}.bin`))
    const writtenFiles = files.filter((_, n) => n === 3 || n === 37)
    for (const file of writtenFiles) {
      windows.open.set(file, [RECORDER_PID])
      windows.written.add(file)
    }
    const answers = await Promise.all(files.map(writerOf))
    expect(files.filter((_, n) => answers[n] === 'open')).toEqual(writtenFiles)
    expect(answers.filter((answer) => answer === 'none')).toHaveLength(38)
    expect(windows.sessions.length).toBeLessThan(20)
  })

  it('on a server may have a writer that is invisible to this PC', async () => {
    const windows = new ModelWindows()
    const file = fileNamed('take.bin')
    windows.remote.add(file)
    expect(await writersOn(windows).writerOf(file)).toBe('unseen')
  })

  it('with a path that is too long for the Restart Manager is not reported as finished', async () => {
    const { writerOf } = writersOn(new ModelWindows())
    expect(await writerOf(path.join(folder, 'x'.repeat(300)))).toBe('unseen')
  })

  it.each([
    'C:\\rec\\take.wav.',
    'C:\\rec\\day 1 \\take.wav',
    'C:\\rec\\aux.wav',
    '\\\\?\\Volume{6a}\\take.wav',
  ])('that only a path with the prefix `\\\\?\\` can open is not reported as finished: %s', async (file) => {
    const windows = new ModelWindows()
    expect(await writersOn(windows).writerOf(file)).toBe('unseen')
    expect(windows.sessions).toEqual([])
  })
})

describe('a Restart Manager', () => {
  it.each<[string, FileUsers | Error, string]>([
    [
      'that always reports no process, like Wine’s',
      { pidsOf: async () => [], hasWriter: async () => false, isRemote: async () => false },
      'does not report an open file',
    ],
    [
      'that always reports Sluice’s own process',
      Object.assign(new ModelWindows(), { pidsOf: async () => [OWN_PID] }),
      'reports a closed file as open',
    ],
    [
      'that never finds a writer',
      { pidsOf: async () => [OWN_PID], hasWriter: async () => false, isRemote: async () => false },
      'but Sluice detects no writer',
    ],
    ['that cannot be loaded', new Error('no rstrtmgr.dll'), 'no rstrtmgr.dll'],
  ])('%s is not used, and Sluice logs this once', async (_, windows, reason) => {
    const { writerOf, warnings } = writersOn(windows)
    expect(await writerOf(fileNamed('a.bin'))).toBe('unseen')
    expect(await writerOf(fileNamed('b.bin'))).toBe('unseen')
    expect(warnings).toEqual([expect.stringContaining(reason)])
  })

  it('that fails for two files makes both "unseen", and is used again for the next file', async () => {
    const windows = new ModelWindows()
    let isBroken = true
    const { writerOf, warnings } = writersOn({
      ...windows,
      pidsOf: async (paths) => {
        if (isBroken && path.basename(paths[0]!) !== 'held')
          throw new Error('RmStartSession failed with code 353')
        return windows.pidsOf(paths)
      },
    })
    expect(await Promise.all(['a.bin', 'b.bin'].map((name) => writerOf(fileNamed(name))))).toEqual([
      'unseen',
      'unseen',
    ])
    isBroken = false
    expect(await writerOf(fileNamed('c.bin'))).toBe('none')
    expect(warnings).toEqual(['Error: RmStartSession failed with code 353'])
  })

  it.each<[string, readonly RequestTimeout[]]>([
    ['that does not answer the self-test', ['at once']],
    ['that stops answering after the self-test', ['never', 'at once']],
  ])('%s delays no file and gets no further requests', async (_, timeouts) => {
    const windows = new ModelWindows()
    const isFirst = timeouts.length === 1
    const { promise, resolve } = Promise.withResolvers<readonly number[]>()
    // Lets the self-test end and close its file, because Node 26 exits if it garbage-collects an open FileHandle.
    onTestFinished(() => resolve([]))
    const pidsOf: FileUsers['pidsOf'] = (paths) =>
      path.basename(paths[0]!) === 'held' && !isFirst ? windows.pidsOf(paths) : promise
    const { writerOf, warnings } = writersOn({ ...windows, pidsOf }, timeouts)
    const files = Array.from({ length: 20 }, (_, n) => fileNamed(`${n}.bin`))
    expect(new Set(await Promise.all(files.map(writerOf)))).toEqual(new Set(['unseen']))
    expect(await writerOf(fileNamed('next.bin'))).toBe('unseen')
    expect(warnings).toEqual([expect.stringContaining('did not answer')])
  })

  it('that answers late is used again', async () => {
    const windows = new ModelWindows()
    const lateAnswer = Promise.withResolvers<readonly number[]>()
    let isLate = true
    const pidsOf: FileUsers['pidsOf'] = (paths) =>
      path.basename(paths[0]!) !== 'held' && isLate ? lateAnswer.promise : windows.pidsOf(paths)
    const { writerOf } = writersOn({ ...windows, pidsOf }, ['never', 'at once'])
    expect(await writerOf(fileNamed('a.bin'))).toBe('unseen')
    isLate = false
    lateAnswer.resolve([OWN_PID])
    await expect.poll(() => writerOf(fileNamed('b.bin')), { interval: 5 }).toBe('none')
  })
})

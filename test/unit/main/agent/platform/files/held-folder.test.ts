import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { linux, needs } from '../../../../../support/needs.ts'

const drive = vi.hoisted(() => ({ whenAnswering: Promise.resolve(), onCall: () => {} }))

vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>()
  const delayed =
    (call: (from: string, to: string) => Promise<void>) =>
    async (...[from, to]: [string, string]): Promise<void> => {
      drive.onCall()
      await drive.whenAnswering
      await call(from, to)
    }
  return { ...real, link: delayed(real.link), rename: delayed(real.rename) }
})

// Test files of one worker share their modules, so an earlier file may have loaded this module without the mock.
vi.resetModules()
const files = '../../../../../../main/agent/platform/files'
const { DriveCalls }: typeof import('../../../../../../main/agent/platform/files/drive-calls.ts') =
  await import(`${files}/drive-calls.ts`)
const { HeldFolder } = await import(`${files}/held-folder.ts`)
const { placeEntry, renameEntry } = await import(`${files}/place-file.ts`)

/** Only `advanceTimersByTime` lets calls time out, so a busy computer causes no timeout. */
const CALL_TIMEOUT_MS = 80
beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }))
afterEach(() => void vi.useRealTimers())

const openTwoFolders = async () => {
  const root = mkdtempSync(path.join(tmpdir(), 'sluice-held-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const calls = new DriveCalls({ timeoutMs: CALL_TIMEOUT_MS })
  const open = (name: string) => {
    mkdirSync(path.join(root, name))
    return HeldFolder.open(path.join(root, name), { drive: root, root }, calls)
  }
  return { root, a: await open('a'), b: await open('b') }
}

const descriptorOf = (folder: { entry: (name: string) => string }) => path.dirname(folder.entry('x'))

test.each([
  ['link', placeEntry],
  ['rename', renameEntry],
])(
  'the target folder of a %s stays open until the drive has answered, even after a timeout',
  needs(linux),
  async (_, moveEntry) => {
    const { root, a, b } = await openTwoFolders()
    writeFileSync(path.join(root, 'a', 'old.bin'), 'ours')
    const descriptor = descriptorOf(b)
    let answer = () => {}
    drive.whenAnswering = new Promise((resolve) => {
      answer = resolve
    })
    const hasCalled = new Promise<void>((resolve) => {
      drive.onCall = resolve
    })
    const result = moveEntry({ folder: a, name: 'old.bin' }, { folder: b, name: 'take.bin' }, null)
    await hasCalled
    vi.advanceTimersByTime(CALL_TIMEOUT_MS)
    expect(await result.then(JSON.stringify, String)).toContain('the drive did not answer')
    await Promise.all([a.close(), b.close()])
    for (let turn = 0; turn < 50; turn += 1) await new Promise((next) => setImmediate(next))
    expect(existsSync(descriptor)).toBe(true)
    answer()
    await expect.poll(() => existsSync(descriptor)).toBe(false)
    expect(readdirSync(path.join(root, 'b'))).toEqual(['take.bin'])
  },
)

test(
  'if one file cannot be closed, the other files and the folder are still closed',
  needs(linux),
  async () => {
    const { a, b } = await openTwoFolders()
    const descriptor = descriptorOf(a)
    const closedNames: string[] = []
    const file = (name: string, isRefused: boolean) =>
      ({
        close: async () => {
          closedNames.push(name)
          if (isRefused) throw Object.assign(new Error('EIO'), { code: 'EIO', syscall: 'close' })
        },
      }) as FileHandle
    a.keep(file('first', true))
    a.keep(file('second', false))
    await expect(a.close()).rejects.toThrow('EIO')
    await b.close()
    expect(closedNames).toEqual(['first', 'second'])
    expect(existsSync(descriptor)).toBe(false)
  },
)

import { once } from 'node:events'
import { appendFileSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { watchFolder } from '../../main/agent/platform/folders/folder-watch.ts'
import type { FolderSettings } from '../../shared/settings.ts'
import { folderSettings, temporaryFolder } from './platform-support.ts'

/**
 * The watcher does not say when it has begun, so a sentinel file is written again and again until it is noticed:
 * from then on, what is written must be noticed too, and events come in order.
 */
const watching = async (path: string, rules: Partial<FolderSettings> = {}) => {
  const hints: string[] = []
  const errors: string[] = []
  const stop = watchFolder(folderSettings(path, rules), {
    ready: () => {},
    hint: (at) => hints.push(at),
    error: (detail) => errors.push(detail),
  })
  onTestFinished(stop)
  const noticed = async (name: string, act: () => void) => {
    hints.length = 0
    act()
    await vi.waitFor(() => expect(hints).toContain(join(path, name)), { timeout: 240_000, interval: 20 })
  }
  let tries = 0
  const sentinel = async () => {
    const seen = () => hints.some((at) => at.startsWith(join(path, 'sentinel')))
    hints.length = 0
    for (; !seen(); tries += 1) {
      writeFileSync(join(path, `sentinel-${tries}`), '')
      await setTimeout(20)
    }
  }
  await sentinel()
  return { hints, errors, noticed, sentinel, stop }
}

describe('watching a folder', () => {
  it('hints at files that appear, grow, arrive by rename or come in a new folder', async () => {
    const root = temporaryFolder()
    const elsewhere = temporaryFolder()
    const { noticed, errors } = await watching(root)
    await noticed('a.wav', () => writeFileSync(join(root, 'a.wav'), 'x'))
    await noticed('a.wav', () => appendFileSync(join(root, 'a.wav'), 'y'))
    await noticed('b.wav', () => renameSync(join(root, 'a.wav'), join(root, 'b.wav')))
    mkdirSync(join(elsewhere, 'take'))
    writeFileSync(join(elsewhere, 'take/c.wav'), 'x')
    await noticed('take', () => renameSync(join(elsewhere, 'take'), join(root, 'take')))
    await noticed('take/d.wav', () => writeFileSync(join(root, 'take/d.wav'), 'x'))
    expect(errors).toEqual([])
  })

  it('stays silent about excluded files, excluded folders and what lies behind links', async () => {
    const root = temporaryFolder()
    const outside = temporaryFolder()
    mkdirSync(join(root, '.cache'))
    symlinkSync(outside, join(root, 'link'))
    const { hints, sentinel } = await watching(root)
    const silent = ['.hidden', 'a.tmp', '.cache/a.wav', 'link/a.wav'].map((name) => join(root, name))
    for (const path of silent) writeFileSync(path, 'x')
    await sentinel()
    expect(hints.filter((path) => silent.includes(path))).toEqual([])
  })

  it('stays silent about subfolders where the folder is not recursive', async () => {
    const root = temporaryFolder()
    mkdirSync(join(root, 'sub'))
    const { hints, sentinel } = await watching(root, { recursive: false })
    writeFileSync(join(root, 'sub/a.wav'), 'x')
    await sentinel()
    expect(hints).not.toContain(join(root, 'sub/a.wav'))
  })

  it('takes a folder that is not there, and stops cleanly', async () => {
    const errors: string[] = []
    const path = join(temporaryFolder(), 'none')
    const stop = watchFolder(folderSettings(path), {
      ready: () => {},
      hint: () => {},
      error: (detail) => errors.push(detail),
    })
    await once(AbortSignal.timeout(100), 'abort')
    await stop()
    await stop()
    expect(errors).toEqual([])
  })
})

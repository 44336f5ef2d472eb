import { closeSync, mkdirSync, openSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { whyOutside, whyOutsideSync } from '../../main/agent/platform/files/inside-root.ts'
import { createPlatform } from '../../main/agent/platform/platform.ts'
import { FileUnreadableError } from '../../main/agent/ports/files.ts'
import { systemClock } from '../../shared/clock/clock.ts'
import { needs, posix } from '../support/needs.ts'
import { createPattern, digest, folderSettings, never, silent, temporaryFolder } from './platform-support.ts'

const content = createPattern(100_000)
const outsideFailure = {
  ok: false,
  failure: { kind: 'file-unreadable', detail: 'it lies outside the watched folder' },
}

/** Moves `sub` out of the watched folder, and puts a link to it in its place. */
const swapForLink = (top: string) => {
  renameSync(join(top, 'watched/sub'), join(top, 'elsewhere'))
  symlinkSync(join(top, 'elsewhere'), join(top, 'watched/sub'))
}

const prepare = async (watched = 'watched', isConfigured = () => true) => {
  const top = temporaryFolder()
  mkdirSync(join(top, 'watched/sub'), { recursive: true })
  writeFileSync(join(top, 'watched/sub/a.wav'), content)
  symlinkSync('watched', join(top, 'by-link'))
  const root = join(top, watched)
  const platform = createPlatform({
    clock: systemClock,
    watchedFolders: () => (isConfigured() ? [root] : []),
    knownFolders: () => [root],
    log: silent,
  })
  onTestFinished(async () => {
    await Promise.all([platform.hashing.close(), platform.largeHashing.close()])
  })
  const scan = await platform.folderAccess.scan(folderSettings(root), never)
  if (scan.kind !== 'scanned') throw new Error(scan.kind)
  const [file] = scan.files
  if (file === undefined) throw new Error('the scan found nothing')
  const hash = () =>
    platform.hashing.hash({ ...file, partSizeBytes: 8_000_000, onProgress: () => {}, signal: never })
  return { top, platform, file, hash }
}

describe('a folder swapped for a link', needs(posix), () => {
  it('after its watched folder left the settings: no file outside is hashed or opened', async () => {
    const { top, platform, file, hash } = await prepare('watched', () => false)
    expect(await platform.files.identify(file.path)).toMatchObject({ ok: true })
    swapForLink(top)
    expect(await platform.files.identify(file.path)).toEqual(outsideFailure)
    expect(await platform.files.open(file.path)).toEqual(outsideFailure)
    expect(await hash()).toEqual(outsideFailure)
  })

  it('between scan and open: no file outside is inspected, hashed or opened', async () => {
    const { top, platform, file, hash } = await prepare()
    swapForLink(top)
    expect(await platform.files.identify(file.path)).toEqual(outsideFailure)
    expect(await platform.files.inspect(file.path)).toEqual(outsideFailure)
    expect(await platform.files.open(file.path)).toEqual(outsideFailure)
    expect(await hash()).toEqual(outsideFailure)
    expect(await platform.largeHashing.digest('sha256', file.path, { start: 0, length: 10 })).toEqual(
      outsideFailure,
    )
  })

  it('between hash and upload: the file is not opened', async () => {
    const { top, platform, file, hash } = await prepare()
    expect((await hash()).ok).toBe(true)
    swapForLink(top)
    expect(await platform.files.open(file.path)).toEqual(outsideFailure)
  })

  it('between two parts: the next part is not read', async () => {
    const { top, platform, file } = await prepare()
    const outcome = await platform.files.open(file.path)
    if (!outcome.ok) throw new Error(outcome.failure.kind)
    onTestFinished(() => outcome.value.close())
    const readAll = async () => {
      const range = { start: 0, length: content.length, identity: file.identity }
      let bytes = 0
      for await (const chunk of outcome.value.read(range)) bytes += chunk.length
      return bytes
    }
    expect(await readAll()).toBe(content.length)
    swapForLink(top)
    const refusal = await readAll().catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(FileUnreadableError)
    expect(refusal).toMatchObject({ message: outsideFailure.failure.detail })
  })
})

describe('a watched folder that is itself reached through a link', needs(posix), () => {
  it('is watched like any other folder', async () => {
    const { platform, file, hash } = await prepare('by-link')
    expect(await platform.files.identify(file.path)).toMatchObject({ ok: true })
    expect(await platform.files.inspect(file.path)).toMatchObject({ ok: true })
    expect(await hash()).toMatchObject({ ok: true, value: { sha256: digest(content) } })
    const outcome = await platform.files.open(file.path)
    expect(outcome.ok).toBe(true)
    if (outcome.ok) await outcome.value.close()
  })
})

describe('on a system that cannot show the path of an open file', needs(posix), () => {
  it('the resolved path must lead to the open file', async () => {
    const { top, file } = await prepare()
    const root = join(top, 'watched')
    const handle = await open(file.path)
    onTestFinished(() => handle.close())
    const fd = openSync(file.path, 'r')
    onTestFinished(() => closeSync(fd))
    const checkBoth = async () => [
      await whyOutside(handle, file.path, root, 'darwin'),
      whyOutsideSync(fd, file.path, root, 'darwin'),
    ]
    expect(await checkBoth()).toEqual([null, null])
    swapForLink(top)
    expect(await checkBoth()).toEqual([outsideFailure.failure.detail, outsideFailure.failure.detail])
    rmSync(join(top, 'watched/sub'))
    mkdirSync(join(top, 'watched/sub'))
    writeFileSync(file.path, 'another')
    for (const detail of await checkBoth()) expect(detail).toMatch(/a different file took its place/)
  })
})

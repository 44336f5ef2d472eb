import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createPlatform } from '../../../../../main/agent/platform/platform.ts'
import { systemClock } from '../../../../../shared/clock/clock.ts'
import { pathsOf } from '../../../../../shared/paths/paths.ts'
import { settingsSchema } from '../../../../../shared/settings/settings.ts'

/**
 * Only Windows has a path form without length limits and reserved names. To simulate it on every system, `toOpen` maps
 * to a different folder, so that only converted paths work.
 */
test("opens files by the system's path form and reports them by the form in the settings", async () => {
  const realFolder = mkdtempSync(path.join(tmpdir(), 'sluice-opens-'))
  onTestFinished(() => rmSync(realFolder, { recursive: true, force: true }))
  mkdirSync(path.join(realFolder, 'take'))
  writeFileSync(path.join(realFolder, 'take', 'con.wav'), 'abc')
  const settingsFolder = path.join(tmpdir(), 'sluice-is-not-there')
  const host = pathsOf(process.platform)
  const toOpen = (name: string): string =>
    host.join(realFolder, host.nameInside(settingsFolder, name) ?? 'elsewhere')
  const clock = systemClock
  const log = { info: () => {}, warn: () => {}, error: () => {} }
  const platform = createPlatform({
    clock,
    watchedFolders: () => [],
    knownFolders: () => [],
    log,
    paths: { ...host, toOpen },
  })
  onTestFinished(async () => {
    await Promise.all([platform.hashing.close(), platform.largeHashing.close()])
  })
  const [folder] = settingsSchema.shape.folders.parse([{ path: settingsFolder, site: 'hall' }])
  const { signal } = new AbortController()

  const scan = await platform.folderAccess.scan(folder!, signal)
  if (scan.kind !== 'scanned') throw new Error(scan.detail)
  const file = path.join(settingsFolder, 'take', 'con.wav')
  expect(scan.files.map((foundFile) => foundFile.path)).toEqual([file])
  expect(await platform.folderAccess.volumeOf(settingsFolder)).toEqual(scan.volume)

  const { files, hashing } = platform
  const identity = scan.files[0]!.identity
  expect(await files.exists(file)).toBe(true)
  expect(await files.identify(file)).toEqual({ ok: true, value: identity })
  expect(await files.inspect(file)).toMatchObject({ ok: true })
  const handle = await files.open(file)
  expect(handle.ok).toBe(true)
  if (handle.ok) await handle.value.close()
  expect(await files.freeBytes(settingsFolder)).toBeGreaterThan(0)
  expect(
    await hashing.hash({ path: file, identity, partSizeBytes: 8, onProgress: () => {}, signal }),
  ).toMatchObject({
    ok: true,
    value: { sha256: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad' },
  })
  expect(await hashing.digest('md5', file, { start: 0, length: 3 })).toEqual({
    ok: true,
    value: '900150983cd24fb0d6963f7d28e17f72',
  })
})

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createPlatform } from '../../../../../main/agent/platform/platform.ts'
import { systemClock } from '../../../../../shared/clock/clock.ts'
import { pathsOf } from '../../../../../shared/paths/paths.ts'
import { settingsSchema } from '../../../../../shared/settings/settings.ts'

/**
 * Only Windows has a path form without length limits and reserved names. Here `toOpen` maps to a different folder, so a
 * file opened by its plain path is not found.
 */
test("opens files by the system's path form and reports them by the form in the settings", async () => {
  const real = mkdtempSync(path.join(tmpdir(), 'sluice-opens-'))
  onTestFinished(() => rmSync(real, { recursive: true, force: true }))
  mkdirSync(path.join(real, 'take'))
  writeFileSync(path.join(real, 'take', 'con.wav'), 'abc')
  const plain = path.join(tmpdir(), 'sluice-is-not-there')
  const host = pathsOf(process.platform)
  const toOpen = (name: string): string => host.join(real, host.nameInside(plain, name) ?? 'elsewhere')
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
  const [folder] = settingsSchema.shape.folders.parse([{ path: plain, site: 'hall' }])
  const { signal } = new AbortController()

  const scanned = await platform.folderAccess.scan(folder!, signal)
  if (scanned.kind !== 'scanned') throw new Error(scanned.detail)
  const file = path.join(plain, 'take', 'con.wav')
  expect(scanned.files.map((found) => found.path)).toEqual([file])
  expect(await platform.folderAccess.volumeOf(plain)).toEqual(scanned.volume)

  const { files, hashing } = platform
  const identity = scanned.files[0]!.identity
  expect(await files.exists(file)).toBe(true)
  expect(await files.identify(file)).toEqual({ ok: true, value: identity })
  expect(await files.inspect(file)).toMatchObject({ ok: true })
  const opened = await files.open(file)
  expect(opened.ok).toBe(true)
  if (opened.ok) await opened.value.close()
  expect(await files.freeBytes(plain)).toBeGreaterThan(0)
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

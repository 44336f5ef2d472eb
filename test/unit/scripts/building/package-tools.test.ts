import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it } from 'vitest'
import { missingTools } from '../../../../scripts/building/package-tools.mjs'
import { linux, needs } from '../../../support/needs.ts'

it('names the package to install if a tool is missing', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'sluice-path-'))
  try {
    for (const name of ['dpkg-deb', 'makensis', 'wixl', 'msibuild'])
      writeFileSync(path.join(folder, name), '')
    const searchPath = `/missing${path.delimiter}${folder}`
    expect(missingTools(['linux-x64', 'win32-x64'], searchPath)).toEqual([
      { kind: 'rpm', problem: expect.stringContaining('install the package rpm') },
    ])
    expect(missingTools(['win32-x64', 'darwin-arm64'], searchPath)).toEqual([])
    writeFileSync(path.join(folder, 'rpmbuild'), '')
    expect(missingTools(['linux-x64'], searchPath)).toEqual([])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

/** The import is dynamic, because it loads a native binary that other systems may not have. */
it('gives a pre-release a version that sorts before the release', needs(linux), async () => {
  const { packageMetadata } = await import('../../../../scripts/building/linux-package.mjs')
  const packageVersion = async (version: string) =>
    (await packageMetadata({ version, isForTests: false })).version
  expect(await packageVersion('1.0.0')).toBe('1.0.0')
  expect(await packageVersion('1.0.0-rc.1')).toBe('1.0.0~rc.1')
  expect(await packageVersion('1.0.0-fortests')).toBe('1.0.0~fortests')
})

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it } from 'vitest'
import { linux, needs } from '../../../support/needs.ts'

/** These packages are made only on Linux, so the modules that the scripts import are installed only there. */

it('names the package to install if rpmbuild is missing', needs(linux), async () => {
  const { rpmbuildProblem } = await import('../../../../scripts/building/make-rpm.mjs')
  const folder = mkdtempSync(path.join(tmpdir(), 'sluice-path-'))
  try {
    expect(rpmbuildProblem(folder)).toContain('install the package rpm')
    writeFileSync(path.join(folder, 'rpmbuild'), '')
    expect(rpmbuildProblem(`/missing${path.delimiter}${folder}`)).toBeNull()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

it('gives a pre-release a version that sorts before the release', needs(linux), async () => {
  const { packageMetadata } = await import('../../../../scripts/building/linux-package.mjs')
  const packageVersion = async (version: string, isForTests: boolean) =>
    (await packageMetadata({ version, isForTests })).version
  expect(await packageVersion('1.0.0', false)).toBe('1.0.0')
  expect(await packageVersion('1.0.0-rc.1', false)).toBe('1.0.0~rc.1')
  expect(await packageVersion('1.0.0', true)).toBe('1.0.0~fortests')
})

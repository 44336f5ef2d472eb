import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it } from 'vitest'
import { packageMetadata } from '../../../../scripts/building/linux-package.mjs'
import { rpmbuildProblem } from '../../../../scripts/building/make-rpm.mjs'

it('names the package to install if rpmbuild is missing', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'sluice-path-'))
  try {
    expect(rpmbuildProblem(folder)).toContain('install the package rpm')
    writeFileSync(path.join(folder, 'rpmbuild'), '')
    expect(rpmbuildProblem(`/missing${path.delimiter}${folder}`)).toBeNull()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

it('gives a pre-release a version that sorts before the release', async () => {
  const version = async (given: string, isForTests: boolean) =>
    (await packageMetadata({ version: given, isForTests })).version
  expect(await version('1.0.0', false)).toBe('1.0.0')
  expect(await version('1.0.0-rc.1', false)).toBe('1.0.0~rc.1')
  expect(await version('1.0.0', true)).toBe('1.0.0~fortests')
})

import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { checkoutProblem, electronProblem, homepage } from '../../../../scripts/building/release-checks.mjs'
import { needs, program } from '../../../support/needs.ts'

describe('a release', needs(program('git')), () => {
  let checkout: string
  const git = (...args: readonly string[]) =>
    execFileSync(
      'git',
      ['-c', 'user.name=Test', '-c', 'user.email=test@sluice.invalid', '-C', checkout, ...args],
      { stdio: 'pipe' },
    )
  beforeEach(() => {
    checkout = mkdtempSync(path.join(tmpdir(), 'sluice-release-'))
    git('init')
    writeFileSync(path.join(checkout, 'file'), 'content')
    git('add', '.')
    git('commit', '-m', 'Release')
  })
  afterEach(() => rmSync(checkout, { recursive: true, force: true }))

  test('needs the tag of its version', async () => {
    expect(await checkoutProblem(checkout, '1.2.3')).toContain(
      'needs the tag v1.2.3 at this commit; found no tag',
    )
    git('tag', 'v1.2.2')
    expect(await checkoutProblem(checkout, '1.2.3')).toContain('found v1.2.2')
    git('tag', 'v1.2.3')
    expect(await checkoutProblem(checkout, '1.2.3')).toBeNull()
  })

  test('needs a clean checkout at the tag', async () => {
    git('tag', 'v1.2.3')
    writeFileSync(path.join(checkout, 'stray'), '')
    expect(await checkoutProblem(checkout, '1.2.3')).toContain('git status shows: ?? stray')
    rmSync(path.join(checkout, 'stray'))
    git('commit', '--allow-empty', '-m', 'Later')
    expect(await checkoutProblem(checkout, '1.2.3')).toContain('needs the tag v1.2.3')
  })

  test('needs a Git checkout', async () => {
    rmSync(path.join(checkout, '.git'), { recursive: true })
    expect(await checkoutProblem(checkout, '1.2.3')).toContain('needs a Git checkout')
  })
})

test('a release accepts only the official Electron, downloaded by its own installer', () => {
  const electron = { dist: '/dist', executable: '/dist/electron' }
  expect(electronProblem({ ...electron, source: 'installed' })).toBeNull()
  expect(electronProblem({ ...electron, source: 'downloaded' })).toBeNull()
  expect(electronProblem({ ...electron, source: 'fallback' })).toContain('needs the official Electron')
  expect(electronProblem({ ...electron, source: 'override' })).toContain('ELECTRON_OVERRIDE_DIST_PATH')
})

test('the homepage of the packages is the GitHub repository that builds them', () => {
  expect(homepage({ GITHUB_REPOSITORY: 'lab/sluice' })).toBe('https://github.com/lab/sluice')
  expect(homepage({})).toBeNull()
})

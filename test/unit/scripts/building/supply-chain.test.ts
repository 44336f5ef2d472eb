import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { packagePathOf } from '../../../../scripts/building/bundled-packages.mjs'
import { licencesOf } from '../../../../scripts/building/licences.mjs'
import { type LockEntry, lockfileProblems } from '../../../../scripts/building/lockfile.mjs'
import { makeSbom } from '../../../../scripts/building/sbom.mjs'
import { readLockfile, shippedPackages } from '../../../../scripts/building/shipped-packages.mjs'

const root = path.join(import.meta.dirname, '../../../..')
const integrity = `sha512-${Buffer.alloc(64, 7).toString('base64')}`
const validEntry = { version: '1.0.0', integrity, license: 'MIT' }
const lockfile = (packages: Record<string, LockEntry>) => ({
  lockfileVersion: 3,
  packages: { '': {}, ...packages },
})

describe('the lockfile', () => {
  test('pins every package by its sha512, and contains no download address', () => {
    expect(lockfileProblems(readLockfile())).toEqual([])
  })

  test.each<[string, LockEntry]>([
    ['has no sha512 integrity', { version: '1.0.0' }],
    ['has no sha512 integrity', { ...validEntry, integrity: 'sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=' }],
    ['has no sha512 integrity', { ...validEntry, integrity: 'sha512-AAAA' }],
    ['names a download address', { ...validEntry, resolved: 'https://mirror.example/a.tgz' }],
    ['names a download address', { ...validEntry, resolved: 'git+ssh://git@host.example/a.git' }],
    ['is a link', { ...validEntry, link: true }],
    ['has no version', { integrity }],
  ])('is refused if an entry %s: %o', (problem, entry) => {
    expect(lockfileProblems(lockfile({ 'node_modules/a': entry }))).toEqual([`node_modules/a ${problem}`])
    expect(() => shippedPackages(lockfile({ 'node_modules/a': entry }), [], () => true)).toThrow(problem)
  })

  test('in a different version of its format is refused', () => {
    expect(lockfileProblems({ lockfileVersion: 1, packages: {} })).toEqual([
      'the lockfile has version 1, not 3',
    ])
  })
})

test('workflows pin each action by its commit, with the version in a comment', () => {
  const folder = path.join(root, '.github/workflows')
  const uses = readdirSync(folder).flatMap((name) =>
    readFileSync(path.join(folder, name), 'utf8')
      .split('\n')
      .filter((line) => /\buses:/.test(line)),
  )
  expect(uses.length).toBeGreaterThan(0)
  for (const line of uses) expect(line).toMatch(/uses: [\w-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
})

describe('the shipped packages', () => {
  const entries = {
    'node_modules/kept': validEntry,
    'node_modules/@scope/kept': { ...validEntry, license: '(MIT OR Apache-2.0)' },
    'node_modules/kept/node_modules/inner': validEntry,
    'node_modules/bundled': { ...validEntry, dev: true },
    'node_modules/tool': { ...validEntry, dev: true },
    'node_modules/elsewhere': { ...validEntry, optional: true },
  }
  const listShipped = (bundled: readonly string[] = ['node_modules/bundled']) =>
    shippedPackages(lockfile(entries), bundled, (packagePath) => packagePath !== 'node_modules/elsewhere')

  test('are the installed and the bundled packages, without build tools', () => {
    expect(listShipped().map(({ packagePath }) => packagePath)).toEqual([
      'node_modules/@scope/kept',
      'node_modules/bundled',
      'node_modules/kept/node_modules/inner',
      'node_modules/kept',
    ])
  })

  test('are refused if a bundled package is unknown, or a package names no licence', () => {
    expect(() => listShipped(['node_modules/stranger'])).toThrow(
      'node_modules/stranger is bundled, but is not',
    )
    const withoutLicence = lockfile({ 'node_modules/a': { version: '1.0.0', integrity } })
    expect(() => shippedPackages(withoutLicence, [], () => true)).toThrow(
      'node_modules/a is shipped, but names no',
    )
  })

  test.each([
    ['/home/me/sluice/node_modules/react-dom/cjs/x.js', 'node_modules/react-dom'],
    ['/s/node_modules/@tanstack/react-virtual/dist/x.js?v=1', 'node_modules/@tanstack/react-virtual'],
    ['C:\\s\\node_modules\\a\\node_modules\\@b\\c\\x.js', 'node_modules/a/node_modules/@b/c'],
    ['\0/s/node_modules/react/index.js?commonjs-module', 'node_modules/react'],
    ['/s/renderer/main.tsx', null],
    ['\0vite/preload-helper.js', null],
  ])('are found by the paths of bundled files: %j is in %s', (id, packagePath) => {
    expect(packagePathOf(id)).toBe(packagePath)
  })

  const app = { name: 'sluice', version: '0.1.0', licence: 'MIT' }

  test('have a bill of materials with names, versions, digests and licences', () => {
    const runtime = { version: '45.3.2', source: 'installed', sha512: 'ab'.repeat(64) }
    const sbom = makeSbom(app, listShipped(), runtime)
    expect(sbom).toMatchObject({
      bomFormat: 'CycloneDX',
      specVersion: '1.6',
      serialNumber: expect.stringMatching(
        /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      ),
      metadata: { component: { name: 'sluice', purl: 'pkg:npm/sluice@0.1.0' } },
    })
    expect(sbom.components).toHaveLength(5)
    expect(sbom.components[0]).toMatchObject({
      group: '@scope',
      name: 'kept',
      purl: 'pkg:npm/%40scope/kept@1.0.0',
      hashes: [{ alg: 'SHA-512', content: '07'.repeat(64) }],
      licenses: [{ expression: '(MIT OR Apache-2.0)' }],
    })
    expect(sbom.components[1]).toMatchObject({ licenses: [{ license: { id: 'MIT' } }] })
    expect(sbom.components.at(-1)).toMatchObject({ type: 'framework', name: 'electron', version: '45.3.2' })
    const refs = sbom.components.map((component) => component['bom-ref'])
    expect(new Set(refs).size).toBe(refs.length)
    expect(sbom.dependencies).toEqual([{ ref: 'pkg:npm/sluice@0.1.0', dependsOn: refs }])
  })

  test('have a bill of materials that differs only if the packages differ', () => {
    expect(makeSbom(app, listShipped(), null)).toEqual(makeSbom(app, listShipped(), null))
    const smallerSbom = makeSbom(app, listShipped([]), null)
    expect(smallerSbom.serialNumber).not.toBe(makeSbom(app, listShipped(), null).serialNumber)
  })
})

describe('licences', () => {
  let tree: string
  beforeEach(() => {
    tree = mkdtempSync(path.join(os.tmpdir(), 'sluice-licences-'))
  })
  afterEach(() => rmSync(tree, { recursive: true }))

  test('are listed with the licence text and the notices in the package, if there are any', () => {
    const writeTreeFile = (name: string, text: string) => {
      mkdirSync(path.join(tree, path.dirname(name)), { recursive: true })
      writeFileSync(path.join(tree, name), text)
    }
    writeTreeFile('node_modules/a/LICENCE.md', 'Do as you like.\n')
    writeTreeFile('node_modules/a/NOTICE', 'See the licence.\n')
    writeTreeFile('node_modules/a/license-checker/index.js', 'code')
    writeTreeFile('node_modules/b/index.js', 'code')
    const packages = ['a', 'b'].map((name) => ({
      packagePath: `node_modules/${name}`,
      name,
      version: '1.0.0',
      licence: 'MIT',
      integrity,
    }))
    expect(licencesOf(packages, tree)).toEqual([
      { name: 'a', version: '1.0.0', licence: 'MIT', text: 'Do as you like.\n\nSee the licence.' },
      { name: 'b', version: '1.0.0', licence: 'MIT', text: null },
    ])
  })

  test('have a text in every shipped package that is not bundled', () => {
    const packages = shippedPackages(readLockfile(), [])
    expect(packages.length).toBeGreaterThan(0)
    expect(licencesOf(packages, root).filter(({ text }) => text === null)).toEqual([])
  })
})

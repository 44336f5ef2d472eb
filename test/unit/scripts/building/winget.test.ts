import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { parse } from 'yaml'
import { changelogSection } from '../../../../scripts/building/changelog.mjs'
import { writeWingetManifests } from '../../../../scripts/building/winget.mjs'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'sluice-winget-'))
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true })
})
const artefacts = () =>
  ['Sluice-Setup-1.2.3-x64.exe', 'Sluice-1.2.3-x64.msi', 'sluice-agent_1.2.3_amd64.deb'].map((name) => {
    writeFileSync(path.join(folder, name), 'abc')
    return path.join(folder, name)
  })

test('the manifests for winget name the address and the digest of both installers', async () => {
  vi.stubEnv('GITHUB_REPOSITORY', 'lab/sluice')
  await writeWingetManifests(folder, artefacts())
  const names = readdirSync(path.join(folder, 'winget'))
  expect(names).toHaveLength(3)
  const manifests = names.map((name) => parse(readFileSync(path.join(folder, 'winget', name), 'utf8')))
  for (const manifest of manifests)
    expect(manifest).toMatchObject({ PackageIdentifier: 'Sluice.Sluice', PackageVersion: '1.2.3' })
  expect(manifests.map(({ ManifestType }) => ManifestType).toSorted()).toEqual([
    'defaultLocale',
    'installer',
    'version',
  ])
  const { Installers } = manifests.find(({ ManifestType }) => ManifestType === 'installer')
  expect(Installers).toEqual(
    [
      ['nullsoft', 'Sluice-Setup-1.2.3-x64.exe'],
      ['wix', 'Sluice-1.2.3-x64.msi'],
    ].map(([type, name]) => ({
      Architecture: 'x64',
      InstallerType: type,
      InstallerUrl: `https://github.com/lab/sluice/releases/download/v1.2.3/${name}`,
      InstallerSha256: 'BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD',
    })),
  )
})

test('there are no manifests without a GitHub repository, or without installers for Windows', async () => {
  vi.stubEnv('GITHUB_REPOSITORY', undefined)
  await writeWingetManifests(folder, artefacts())
  vi.stubEnv('GITHUB_REPOSITORY', 'lab/sluice')
  await writeWingetManifests(folder, artefacts().slice(2))
  expect(readdirSync(folder)).not.toContain('winget')
})

test('the notes of a release are its dated section of the changelog', () => {
  const changelog =
    '# Changelog\n\n## [2.0.0] - unreleased\n\n- new\n\n## [1.0.0] - 2026-01-02\n\n### Added\n\n- first\n'
  expect(changelogSection(changelog, '1.0.0')).toBe('### Added\n\n- first\n')
  expect(changelogSection(changelog, '2.0.0')).toBeNull()
  expect(changelogSection(changelog, '3.0.0')).toBeNull()
  expect(changelogSection(changelog, null)).toBe('- new\n')
})

import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { listPackage } from '@electron/asar'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { electronsNode, linux, needs, program } from '../support/needs.ts'
import { PackagedApp } from '../support/packaged-app.ts'

const ARCH = process.arch

/** The files that the archive may contain. Add new dependencies and build outputs here. */
const EXPECTED: readonly RegExp[] = [
  /^(LICENSE|package\.json)$/,
  /^out\/(licences\.json|sbom\.cdx\.json)$/,
  /^out\/icons\/[\w@-]+\.(png|ico)$/,
  /^out\/main\/(index|agent-cli|agent-process|sandbox-cli|sandbox-process|server-cli|[\w-]+-worker)\.js$/,
  /^out\/preload\/index\.cjs$/,
  /^out\/renderer\/index\.html$/,
  /^out\/renderer\/assets\/[\w.-]+\.(js|css|woff2|svg|png)$/,
  /^node_modules\/better-sqlite3\/(LICENSE|package\.json|lib\/.+\.js)$/,
  new RegExp(`^node_modules/better-sqlite3/prebuilds/linux-${ARCH}\\.node$`),
  /^node_modules\/koffi\/(LICENSE\.txt|package\.json|.+\.c?js)$/,
  new RegExp(`^node_modules/@koromix/koffi-linux-${ARCH}/(index\\.js|package\\.json|\\w+/koffi\\.node)$`),
]

describe('the packages for Linux', needs(linux, electronsNode, program('dpkg-deb')), () => {
  let packaged: PackagedApp
  beforeAll(async () => {
    packaged = await PackagedApp.make('--installers')
  }, 1_800_000)
  afterAll(() => packaged?.close())

  test('contain only the files that the app needs', () => {
    const archive = path.join(packaged.folder, 'resources/app.asar')
    const names = listPackage(archive, { isPack: false }).map((name) => name.slice(1))
    const files = names.filter((name) => !names.some((other) => other.startsWith(`${name}/`)))
    expect(files.filter((file) => !EXPECTED.some((pattern) => pattern.test(file)))).toEqual([])
    expect(files).toContain('out/main/index.js')
    expect(EXPECTED.filter((pattern) => !files.some((file) => pattern.test(file)))).toEqual([])
  })

  test('have one locale', () => {
    expect(readdirSync(path.join(packaged.folder, 'locales'))).toEqual(['en-US.pak'])
  })

  test('the .deb has the right name, installs into the system folders, and runs', () => {
    const [name = ''] = readdirSync(packaged.dist).filter((file) => file.endsWith('.deb'))
    const deb = path.join(packaged.dist, name)
    const field = (key: string) =>
      execFileSync('dpkg-deb', ['--field', deb, key], { encoding: 'utf8' }).trim()
    expect([field('Package'), field('Conflicts')]).toEqual(['sluice-agent', 'sluice'])
    expect(field('Version')).toContain('fortests')
    for (const library of ['libgbm1', 'libasound2', 'libgtk-3-0', 'libnss3'])
      expect(field('Depends')).toContain(library)
    expect(statSync(deb).size).toBeLessThan(100e6)

    const root = mkdtempSync(path.join(tmpdir(), 'sluice-deb-test-'))
    try {
      execFileSync('dpkg-deb', ['--extract', deb, root])
      expect(readlinkSync(path.join(root, 'usr/bin/sluice'))).toBe('/opt/Sluice/resources/bin/sluice')
      const share = (file: string) => readFileSync(path.join(root, 'usr/share', file), 'utf8')
      expect(share('applications/sluice.desktop')).toContain('Exec=/opt/Sluice/sluice')
      expect(share('bash-completion/completions/sluice')).toContain('complete')
      expect(share('zsh/vendor-completions/_sluice')).toContain('#compdef sluice')
      expect(share('fish/vendor_completions.d/sluice.fish')).toContain('complete -c sluice')
      for (const width of [16, 48, 256, 512]) share(`icons/hicolor/${width}x${width}/apps/sluice.png`)
      share('man/man1/sluice.1.gz')
      const launcher = path.join(root, 'opt/Sluice/resources/bin/sluice')
      expect(execFileSync(launcher, ['version'], { encoding: 'utf8' })).toMatch(/\d+\.\d+\.\d+/)
    } finally {
      rmSync(root, { recursive: true, force: true })
    }
  })

  test('the checksums are those of the files', () => {
    execFileSync('sha256sum', ['--check', 'SHA256SUMS'], { cwd: packaged.dist })
  })
})

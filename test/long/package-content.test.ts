import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { listPackage } from '@electron/asar'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeRpm } from '../../scripts/building/make-rpm.mjs'
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

  const packageFile = (ending: string) => {
    const [name = ''] = readdirSync(packaged.dist).filter((file) => file.endsWith(ending))
    return path.join(packaged.dist, name)
  }

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
    const deb = packageFile('.deb')
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

  describe('the .rpm', needs(program('rpmbuild'), program('rpm2archive')), () => {
    const query = (...args: readonly string[]) =>
      execFileSync('rpm', ['-qp', ...args, packageFile('.rpm')], { encoding: 'utf8' }).trim()
    const lines = (text: string) => text.split('\n').filter((line) => line !== '')

    test('has the right name and version, and requires the libraries that Electron loads', () => {
      expect(query('--qf', '%{NAME} %{LICENSE}')).toBe('sluice-agent MIT')
      expect(query('--qf', '%{VERSION}')).toContain('fortests')
      expect(query('--qf', '%{DESCRIPTION}')).toContain('For tests only')
      const required = lines(query('--requires'))
      for (const library of ['alsa-lib', 'gtk3', 'mesa-libgbm', 'nss']) expect(required).toContain(library)
    })

    test('has the files of the .deb', () => {
      const listed = execFileSync('sh', [
        '-c',
        'dpkg-deb --fsys-tarfile "$1" | tar -t',
        '-',
        packageFile('.deb'),
      ])
      const inDeb = lines(listed.toString())
        .filter((name) => !name.endsWith('/'))
        // Each system has a different folder for the completions of zsh.
        .map((name) => name.slice(1).replace('/vendor-completions/', '/site-functions/'))
      const inRpm = lines(query('--qf', '[%{FILEMODES:perms} %{FILENAMES}\n]'))
        .filter((line) => !line.startsWith('d'))
        .map((line) => line.slice(line.indexOf('/')))
      expect(inRpm.toSorted()).toEqual(inDeb.toSorted())
    })

    test('unpacks and runs', () => {
      const root = mkdtempSync(path.join(tmpdir(), 'sluice-rpm-test-'))
      try {
        const unpack = 'rpm2archive -n - < "$1" | tar -x -C "$2"'
        execFileSync('sh', ['-c', unpack, '-', packageFile('.rpm'), root])
        expect(readlinkSync(path.join(root, 'usr/bin/sluice'))).toBe('/opt/Sluice/resources/bin/sluice')
        const launcher = path.join(root, 'opt/Sluice/resources/bin/sluice')
        expect(execFileSync(launcher, ['version'], { encoding: 'utf8' })).toMatch(/\d+\.\d+\.\d+/)
      } finally {
        rmSync(root, { recursive: true, force: true })
      }
    })

    test('is identical if it is built again', async () => {
      const folder = path.join(packaged.dist, 'again')
      mkdirSync(folder)
      process.env.SOURCE_DATE_EPOCH = query('--qf', '%{BUILDTIME}')
      const [version = ''] = query('--qf', '%{VERSION}').split('~')
      const again = await makeRpm({ app: packaged.folder, folder, version, isForTests: true })
      expect(path.basename(again)).toBe(path.basename(packageFile('.rpm')))
      expect(readFileSync(again).equals(readFileSync(packageFile('.rpm')))).toBe(true)
    })
  })

  test('the checksums are those of the files', () => {
    execFileSync('sha256sum', ['--check', 'SHA256SUMS'], { cwd: packaged.dist })
  })
})

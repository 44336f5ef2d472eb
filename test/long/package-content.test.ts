import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { extractFile, listPackage } from '@electron/asar'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ServicePlan, systemdUnit } from '../../main/cli/service/service-files.ts'
import { electronsNode, linux, needs, program } from '../support/needs.ts'
import { PackagedApp, packagedArch } from '../support/packaged-app.ts'
import { SystemCopy, systemCopy } from '../support/system-copy.ts'
import { testRepository } from './package-repository.ts'
import { testUpgrade } from './package-upgrade.ts'
import { testWindowsPackages } from './package-windows.ts'

const ARCH = packagedArch
const DEB_ARCH = ARCH === 'x64' ? 'amd64' : ARCH
const PLAN: ServicePlan = {
  program: ['/opt/Sluice/resources/bin/sluice'],
  dataFolder: '/var/lib/sluice',
  account: 'sluice',
  group: null,
  keyFile: null,
  runsAsNode: false,
}

/**
 * Each file in `app.asar` must match a pattern, and each pattern must match a file. Add new dependencies and build
 * outputs here.
 */
const expectedFiles = (machine: string): readonly RegExp[] => [
  /^(LICENSE|package\.json)$/,
  /^out\/(licences\.json|sbom\.cdx\.json)$/,
  /^out\/icons\/[\w@-]+\.(png|ico)$/,
  /^out\/main\/(index|agent-cli|agent-process|sandbox-cli|sandbox-process|server-cli|[\w-]+-worker)\.js$/,
  /^out\/main\/lab-page\/(index\.html|assets\/[\w.-]+\.(js|css|svg))$/,
  /^out\/preload\/index\.cjs$/,
  /^out\/renderer\/index\.html$/,
  /^out\/renderer\/assets\/[\w.-]+\.(js|css|woff2|svg|png)$/,
  /^node_modules\/better-sqlite3\/(LICENSE|package\.json|lib\/.+\.js)$/,
  new RegExp(`^node_modules/better-sqlite3/prebuilds/${machine}\\.node$`),
  /^node_modules\/koffi\/(LICENSE\.txt|package\.json|.+\.c?js)$/,
  new RegExp(
    `^node_modules/@koromix/koffi-${machine}/(index\\.js|package\\.json|${machine.replace('-', '_')}/koffi\\.node)$`,
  ),
]

describe('the packages', needs(linux, program('dpkg-deb')), () => {
  let packaged: PackagedApp
  beforeAll(async () => {
    packaged = await PackagedApp.makeWith({ GITHUB_REPOSITORY: 'lab/sluice' }, '--installers')
  }, 1_800_000)
  afterAll(() => packaged?.close())

  const packageFile = (ending: string) => {
    const architecture = /amd64|arm64|x86_64|aarch64|x64/
    const ofThisArch = new RegExp(ARCH === 'x64' ? 'amd64|x86_64|x64' : 'arm64|aarch64')
    const [name = ''] = readdirSync(packaged.dist)
      .filter((file) => file.endsWith(ending))
      .filter((file) => ofThisArch.test(file) || !architecture.test(file) || /\.(exe|msi)$/.test(file))
    return path.join(packaged.dist, name)
  }

  test.each([
    ['Linux', `linux-${ARCH}`, () => packaged.folder],
    ['Windows', 'win32-x64', () => path.join(packaged.dist, 'win-unpacked')],
  ])('for %s contain only the files that the app needs', (_, machine, folder) => {
    const names = listPackage(path.join(folder(), 'resources/app.asar'), { isPack: false }).map((name) =>
      name.slice(1),
    )
    const files = names.filter((name) => !names.some((other) => other.startsWith(`${name}/`)))
    const expected = expectedFiles(machine)
    expect(files.filter((file) => !expected.some((pattern) => pattern.test(file)))).toEqual([])
    expect(files).toContain('out/main/index.js')
    expect(expected.filter((pattern) => !files.some((file) => pattern.test(file)))).toEqual([])
  })

  test.each([
    // Electron alone takes 210 MB on Linux and 227 MB on Windows.
    ['Linux', 275e6, () => packaged.folder],
    ['Windows', 295e6, () => path.join(packaged.dist, 'win-unpacked')],
  ])('for %s have one locale, and unpack to less than %d bytes', (_, limit, folder) => {
    expect(readdirSync(path.join(folder(), 'locales'))).toEqual(['en-US.pak'])
    const sizes = readdirSync(folder(), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => statSync(path.join(entry.parentPath, entry.name)).size)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(limit)
  })

  test('show in the name, in the version and in the app that they are for tests only', () => {
    const packages = readdirSync(packaged.dist).filter((name) => /\.(deb|rpm|gz|exe|msi)$/.test(name))
    expect(packages.length).toBeGreaterThanOrEqual(2)
    expect(packages.filter((name) => !name.includes('fortests'))).toEqual([])
    // The card "About Sluice" shows the version of this file.
    const about = extractFile(path.join(packaged.folder, 'resources/app.asar'), 'package.json')
    expect(JSON.parse(about.toString()).version).toMatch(/-fortests$/)
    expect(readFileSync(path.join(packaged.folder, 'resources/version'), 'utf8')).toMatch(/-fortests\n$/)
  })

  test('are identical if they are built again from the same commit', async () => {
    const again = await PackagedApp.makeWith({ GITHUB_REPOSITORY: 'lab/sluice' }, '--installers')
    try {
      const sums = (app: PackagedApp) => readFileSync(path.join(app.dist, 'SHA256SUMS'), 'utf8')
      expect(sums(again)).toBe(sums(packaged))
    } finally {
      await again.close()
    }
  }, 1_800_000)

  test('include a .deb with the right name that installs into the system folders', () => {
    const deb = packageFile('.deb')
    const field = (key: string) =>
      execFileSync('dpkg-deb', ['--field', deb, key], { encoding: 'utf8' }).trim()
    expect([field('Package'), field('Conflicts')]).toEqual(['sluice-agent', 'sluice'])
    expect([field('Architecture'), field('Homepage')]).toEqual([DEB_ARCH, 'https://github.com/lab/sluice'])
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
      expect(share('applications/sluice.desktop')).toContain('Name=Sluice (for tests only)')
    } finally {
      rmSync(root, { recursive: true, force: true })
    }
  })

  test('include a .deb that runs', needs(electronsNode), () => {
    const root = mkdtempSync(path.join(tmpdir(), 'sluice-deb-test-'))
    try {
      execFileSync('dpkg-deb', ['--extract', packageFile('.deb'), root])
      const launcher = path.join(root, 'opt/Sluice/resources/bin/sluice')
      expect(execFileSync(launcher, ['version'], { encoding: 'utf8' })).toMatch(/\d+\.\d+\.\d+/)
    } finally {
      rmSync(root, { recursive: true, force: true })
    }
  })

  describe('the .rpm', needs(program('rpmbuild'), program('rpm2archive')), () => {
    const query = (...args: readonly string[]) =>
      execFileSync(
        'rpm',
        ['--dbpath', path.join(packaged.dist, 'rpmdb'), '-qp', ...args, packageFile('.rpm')],
        {
          encoding: 'utf8',
        },
      ).trim()
    const lines = (text: string) => text.split('\n').filter((line) => line !== '')

    test('has the right name and version, and requires the libraries that Electron loads', () => {
      expect(query('--qf', '%{NAME} %{LICENSE}')).toBe('sluice-agent MIT')
      expect(query('--qf', '%{VERSION}')).toContain('fortests')
      expect(query('--qf', '%{DESCRIPTION}')).toContain('For tests only')
      const required = lines(query('--requires'))
      for (const library of ['alsa-lib', 'gtk3', 'mesa-libgbm', 'nss']) expect(required).toContain(library)
    })

    test('has the files of the .deb', () => {
      const debList = execFileSync('sh', [
        '-c',
        'dpkg-deb --fsys-tarfile "$1" | tar -t',
        '-',
        packageFile('.deb'),
      ])
      const inDeb = lines(debList.toString())
        .filter((name) => !name.endsWith('/'))
        // The completions of zsh have a different folder on systems with .rpm packages.
        .map((name) => name.slice(1).replace('/vendor-completions/', '/site-functions/'))
      const inRpm = lines(query('--qf', '[%{FILEMODES:perms} %{FILENAMES}\n]'))
        .filter((line) => !line.startsWith('d'))
        .map((line) => line.slice(line.indexOf('/')))
      expect(inRpm.toSorted()).toEqual(inDeb.toSorted())
    })

    test('unpacks and runs', needs(electronsNode), () => {
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
  })

  describe('removing a package', needs(electronsNode, systemCopy), () => {
    const UNIT = 'etc/systemd/system/sluice.service'
    const REMAINING_FILES = [
      'etc/sluice/key',
      'etc/sluice/settings.json',
      'etc/systemd/system/sluice.service.d/override.conf',
      'var/lib/sluice/journal.db',
    ]
    const NAME = 'sluice-agent'

    const expectRemaining = (
      ending: string,
      install: readonly string[],
      removals: readonly (readonly string[])[],
    ) => {
      const copy = new SystemCopy()
      try {
        const file = path.join(copy.root, 'tmp', path.basename(packageFile(ending)))
        copyFileSync(packageFile(ending), file)
        const inside = (command: readonly string[]) =>
          execFileSync('chroot', [copy.root, ...command], { stdio: 'pipe' })
        inside([...install, `/tmp/${path.basename(file)}`])
        for (const name of [...REMAINING_FILES, UNIT]) {
          mkdirSync(path.dirname(path.join(copy.root, name)), { recursive: true })
          writeFileSync(path.join(copy.root, name), systemdUnit(PLAN))
        }
        inside(['useradd', '--system', 'sluice'])
        // An upgrade keeps the unit.
        inside([...install, `/tmp/${path.basename(file)}`])
        expect(existsSync(path.join(copy.root, UNIT))).toBe(true)
        rmSync(file)

        for (const removal of removals) inside(removal)
        const remaining = readdirSync(copy.changes, { recursive: true, withFileTypes: true })
          .filter((entry) => !entry.isDirectory())
          .map((entry) => path.relative(copy.changes, path.join(entry.parentPath, entry.name)))
        // The package manager and useradd write these files. In the copy, /dev/null is an ordinary file.
        const systemFiles =
          /^(var\/(lib\/(dpkg|rpm)|log|cache)\/|root\/\.rpmdb\/|etc\/(passwd|group|shadow|gshadow|subuid|subgid)-?$|etc\/\.pwd\.lock$|dev\/null$)/
        expect(remaining.filter((name) => !systemFiles.test(name)).toSorted()).toEqual(REMAINING_FILES)
        expect(inside(['getent', 'passwd', 'sluice']).toString()).toContain('sluice')

        const guide = readFileSync(path.join(import.meta.dirname, '../../docs/admin-guide.md'), 'utf8')
        const [section = ''] = guide.slice(guide.indexOf('### Remove Sluice')).split('\n### ')
        for (const name of REMAINING_FILES) expect(section).toContain(`\`/${path.dirname(name)}\``)
      } finally {
        copy.close()
      }
    }

    test('.deb: an upgrade keeps the systemd unit, and a purge leaves only the files that the admin guide lists', () => {
      const dpkg = ['dpkg', '--no-triggers']
      expectRemaining(
        '.deb',
        [...dpkg, '--force-depends', '--install'],
        [
          [...dpkg, '--remove', NAME],
          [...dpkg, '--purge', NAME],
        ],
      )
    })

    test(
      '.rpm: an upgrade keeps the systemd unit, and a removal leaves only the files that the admin guide lists',
      needs(program('rpmbuild')),
      () =>
        expectRemaining(
          '.rpm',
          ['rpm', '--upgrade', '--replacepkgs', '--nodeps'],
          [['rpm', '--erase', NAME]],
        ),
    )
  })

  testWindowsPackages(() => packaged.dist, packageFile)
  describe('on a machine that runs them', needs(electronsNode), () => {
    testRepository(() => packaged.dist)
    testUpgrade(
      () => packageFile('.deb'),
      () => packaged,
    )
  })

  test('have their checksums in SHA256SUMS, and a bill of materials each', () => {
    execFileSync('sha256sum', ['--check', 'SHA256SUMS'], { cwd: packaged.dist })
    const sums = readFileSync(path.join(packaged.dist, 'SHA256SUMS'), 'utf8')
    for (const ending of ['.deb', '.tar.gz']) {
      const name = path.basename(packageFile(ending))
      const { metadata } = JSON.parse(readFileSync(`${packageFile(ending)}.cdx.json`, 'utf8'))
      expect(sums).toContain(`${metadata.component.hashes[0].content}  ${name}\n`)
      expect(sums).toContain(`  ${name}.cdx.json\n`)
    }
  })
})

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
import { listPackage } from '@electron/asar'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ServicePlan, systemdUnit } from '../../main/cli/service/service-files.ts'
import { electronsNode, linux, needs, program } from '../support/needs.ts'
import { PackagedApp } from '../support/packaged-app.ts'
import { SystemCopy, systemCopy } from '../support/system-copy.ts'
import { testRepository } from './package-repository.ts'
import { testUpgrade } from './package-upgrade.ts'

const ARCH = process.arch
const MAKE_RPM = path.join(import.meta.dirname, '../../scripts/building/make-rpm.mjs')
const PLAN: ServicePlan = {
  program: ['/opt/Sluice/resources/bin/sluice'],
  dataFolder: '/var/lib/sluice',
  account: 'sluice',
  group: null,
  keyFile: null,
  runsAsNode: false,
}

/** The files that the archive may contain. Add new dependencies and build outputs here. */
const EXPECTED: readonly RegExp[] = [
  /^(LICENSE|package\.json)$/,
  /^out\/(licences\.json|sbom\.cdx\.json)$/,
  /^out\/icons\/[\w@-]+\.(png|ico)$/,
  /^out\/main\/(index|agent-cli|agent-process|sandbox-cli|sandbox-process|server-cli|[\w-]+-worker)\.js$/,
  /^out\/main\/lab-page\/(index\.html|assets\/[\w.-]+\.(js|css|svg))$/,
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

    test('is identical if it is built again', () => {
      const folder = path.join(packaged.dist, 'again')
      mkdirSync(folder)
      const [version = ''] = query('--qf', '%{VERSION}').split('~')
      const options = { app: packaged.folder, folder, version, isForTests: true }
      // The system's Node runs the script, because Electron's Node would read the archive of the app as a folder.
      const script = 'await (await import(process.argv[1])).makeRpm(JSON.parse(process.argv[2]))'
      const args = ['--input-type=module', '--eval', script, MAKE_RPM, JSON.stringify(options)]
      const env = { ...process.env, SOURCE_DATE_EPOCH: query('--qf', '%{BUILDTIME}') }
      execFileSync('node', args, { env, stdio: 'pipe' })
      const again = readFileSync(path.join(folder, path.basename(packageFile('.rpm'))))
      expect(again.equals(readFileSync(packageFile('.rpm')))).toBe(true)
    })
  })

  describe('removing a package', needs(systemCopy), () => {
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
        // The package manager and useradd write these files. The scripts write dev/null, because the copy has no devices.
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

    test('.deb: an upgrade keeps the service, and a purge leaves what the admin guide lists', () => {
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
      '.rpm: an upgrade keeps the service, and a removal leaves what the admin guide lists',
      needs(program('rpmbuild')),
      () =>
        expectRemaining(
          '.rpm',
          ['rpm', '--upgrade', '--replacepkgs', '--nodeps'],
          [['rpm', '--erase', NAME]],
        ),
    )
  })

  testRepository(() => packaged.dist)
  testUpgrade(
    () => packageFile('.deb'),
    () => packaged,
  )

  test('SHA256SUMS has the checksums of the packages', () => {
    execFileSync('sha256sum', ['--check', 'SHA256SUMS'], { cwd: packaged.dist })
  })
})

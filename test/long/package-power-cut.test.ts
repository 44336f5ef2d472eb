import { execFileSync, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { guideBlocks } from '../support/guide/guide-blocks.ts'
import { makeHeadlessDeb } from '../support/headless-package.ts'
import { ensureMinimalDebian, minimalDebian } from '../support/minimal-debian.ts'
import { needs, program } from '../support/needs.ts'
import { OwnSystem, ownSystem } from '../support/own-system.ts'
import { isLong } from '../support/runs.ts'
import { SandboxProcess } from '../support/sandbox-process.ts'
import { chooseSeed, seeded } from '../support/seeded.ts'
import { type ServiceStats, until } from '../support/station.ts'
import { newRepositoryKey } from './package-repository.ts'
import { NEXT_VERSION, newerPackage, testServiceUpgrade } from './package-upgrade.ts'

const REPOSITORY = path.join(import.meta.dirname, '../../scripts/repository.mjs')
const FIRST_VERSION = '0.1.0-fortests'
const FIRST_DEB_VERSION = FIRST_VERSION.replaceAll('-', '~')
/** The soak runs this file again, with more power cuts. */
const POWER_CUTS = isLong ? 2 : 10
const GUIDE = readFileSync(path.join(import.meta.dirname, '../../docs/admin-guide.md'), 'utf8')

/**
 * Tests the background service in a minimal Debian with a real systemd: installation from the repository, upload,
 * upgrade, power cuts, rollback, removal and purge. The package for these tests has no window and needs no Electron, so
 * they run on every processor architecture.
 */
describe(
  'a station with the package',
  needs(minimalDebian, ownSystem, program('apt-ftparchive'), program('createrepo_c'), program('rpmsign')),
  () => {
    let work: string
    let deb: string
    let newerDeb: string
    beforeAll(() => {
      work = mkdtempSync(path.join(tmpdir(), 'sluice-power-'))
      const folder = path.join(work, 'packages')
      mkdirSync(folder)
      deb = makeHeadlessDeb(folder, FIRST_VERSION)
      newerDeb = path.join(folder, path.basename(deb).replace(FIRST_DEB_VERSION, NEXT_VERSION))
      cpSync(newerPackage(deb, work), newerDeb)
    }, 300_000)
    afterAll(() => rmSync(work, { recursive: true, force: true }))

    testServiceUpgrade(() => deb)

    describe('from the repository', () => {
      let system: OwnSystem
      let sandbox: SandboxProcess
      const random = seeded(chooseSeed('power cuts'))

      const inSystem = (name: string) => path.join(system.root, name)
      const apt = (...args: string[]) => system.run('apt-get', '-y', '--no-install-recommends', ...args)
      const record = (name: string, bytes: number) => {
        writeFileSync(inSystem(`data/recordings/${name}`), randomBytes(bytes))
        chmodSync(inSystem(`data/recordings/${name}`), 0o644)
      }
      const station = () =>
        JSON.parse(
          system.run('sluice', 'status', '--json', '--data', '/var/lib/sluice').split('\n')[0] || 'null',
        )
      const safeNames = (): string[] =>
        (station()?.recordings ?? [])
          .filter(({ state }: { readonly state: string }) => state === 'processed')
          .map(({ path: file }: { readonly path: string }) => path.basename(file))
      const installedVersion = () =>
        system
          .run('dpkg-query', '--show', `--showformat=\${db:Status-Abbrev}\${Version}`, 'sluice-agent')
          .trim()

      /**
       * Runs the block of the admin guide that begins with this text. Replaces the address of the repository with a
       * local folder, and adds options so that no command prompts.
       */
      const runGuide = (start: string) => {
        const block = guideBlocks(GUIDE).find(({ text }) => text.startsWith(start))
        const lines = block?.text.split('\n').filter((line) => line !== '') ?? []
        expect(lines, start).not.toEqual([])
        for (const line of lines) {
          const command = line
            .replace('curl -o', 'cp -T /srv/sluice/sluice.asc')
            .replace(/ https:\S+sluice\.asc$/, '')
            .replace(/https:\/\/\S+\/apt/, 'file:/srv/sluice/apt')
            .replace(/^apt /, 'apt-get -y --no-install-recommends ')
            .replace(/sluice-agent=\S+/, `sluice-agent=${FIRST_DEB_VERSION}`)
            .replace('sluice rollback', 'sluice rollback --yes')
          const output = system.run('sh', '-c', `${command} && echo command-succeeded`)
          // Both versions use the same journal format, so `sluice rollback` fails: it has nothing to restore.
          expect(output, line).toMatch(/command-succeeded|This version can use the journal as it is/)
        }
      }

      beforeAll(async () => {
        const key = newRepositoryKey(work)
        const repository = path.join(work, 'repository')
        const { ELECTRON_RUN_AS_NODE: _, NODE_OPTIONS: __, ...env } = process.env
        const built = spawnSync('node', [REPOSITORY, repository, '--from', path.dirname(deb)], {
          encoding: 'utf8',
          env: { ...env, SLUICE_REPOSITORY_KEY: key },
        })
        expect(built.stderr).toContain('is in')
        expect(built.status).toBe(0)
        sandbox = await SandboxProcess.start(path.join(work, 'sandbox'))
        system = new OwnSystem(await ensureMinimalDebian())
        cpSync(repository, inSystem('srv/sluice'), { recursive: true })
        writeFileSync(inSystem('etc/apt/sources.list'), '')
        const settings = {
          service: { base_url: sandbox.baseUrl },
          folders: [
            { path: '/data/recordings', site: 'hall', settle_seconds: 1, part_size_bytes: 8_388_608 },
          ],
          transfer: { limit_mbit_per_s: 60 },
          follow: { poll_seconds: 1 },
        }
        writeFileSync(inSystem('etc/sluice/settings.json'), JSON.stringify(settings))
        chmodSync(inSystem('etc/sluice/settings.json'), 0o644)
        writeFileSync(inSystem('etc/sluice/key'), sandbox.keys.write, { mode: 0o600 })
        await system.boot()
      }, 900_000)
      afterAll(async () => {
        await system?.close()
        await sandbox?.stop()
      })

      test('apt installs the package with the commands of the admin guide, and SLUICE_INSTALL_SERVICE=1 starts the service', async () => {
        runGuide('install -d /etc/apt/keyrings')
        expect(installedVersion()).toBe(`ii ${NEXT_VERSION}`)
        runGuide('apt purge sluice-agent')
        system.run(
          'env',
          'SLUICE_INSTALL_SERVICE=1',
          'apt-get',
          'install',
          '-y',
          '--no-install-recommends',
          `sluice-agent=${FIRST_DEB_VERSION}`,
        )
        expect(installedVersion()).toBe(`ii ${FIRST_DEB_VERSION}`)
        record('first.bin', 100_000)
        await until('the first recording is safe', () => safeNames().includes('first.bin'))
      })

      test(`${POWER_CUTS} power cuts at random moments of an upgrade lose nothing and leave a station that works`, async () => {
        const upgrade = (version: string) => [
          'apt-get',
          '-y',
          '--allow-downgrades',
          '--no-install-recommends',
          'install',
          `sluice-agent=${version}`,
        ]
        const startedAt = performance.now()
        system.run(...upgrade(NEXT_VERSION))
        const upgradeMs = performance.now() - startedAt
        let installed = NEXT_VERSION
        for (let round = 0; round < POWER_CUTS; round++) {
          const name = `round-${round}.bin`
          record(name, 16 * 1024 * 1024)
          const next = installed === NEXT_VERSION ? FIRST_DEB_VERSION : NEXT_VERSION
          const afterMs = random() * upgradeMs
          system.start(...upgrade(next))
          await new Promise((resolve) => setTimeout(resolve, afterMs))
          await system.cutPower()
          await system.boot()
          const context = `round ${round}, cut after ${Math.round(afterMs)} of ${Math.round(upgradeMs)} ms`
          // An administrator or the system runs this command after an interrupted upgrade.
          system.run('dpkg', '--configure', '-a')
          const repaired = system.run(...upgrade(next))
          expect(installedVersion(), `${context}\n${repaired}`).toBe(`ii ${next}`)
          expect(system.run('dpkg', '--audit'), context).toBe('')
          expect(system.run('sluice', 'version'), context).toContain(FIRST_VERSION)
          await until(`${context}: ${name} is safe`, () => safeNames().includes(name))
          installed = next
        }
        const names = ['first.bin', ...Array.from({ length: POWER_CUTS }, (_, round) => `round-${round}.bin`)]
        expect(safeNames().toSorted()).toEqual(names.toSorted())
        const { parts } = (await sandbox.control('GET', '/stats')) as ServiceStats
        // One session for each recording: nothing was uploaded twice.
        expect(Object.keys(parts)).toHaveLength(names.length)
      })

      test('a rollback with the commands of the admin guide keeps every recording', async () => {
        const before = safeNames().length
        runGuide('sluice service stop')
        expect(installedVersion()).toBe(`ii ${FIRST_DEB_VERSION}`)
        record('after-rollback.bin', 100_000)
        await until('the next recording is safe', () => safeNames().includes('after-rollback.bin'))
        expect(safeNames()).toHaveLength(before + 1)
      })

      test("Debian's own sluice and ours do not damage each other", () => {
        const debianSluice = makeDebianSluice(work)
        cpSync(debianSluice, inSystem('srv/theirs.deb'))
        // dpkg refuses Debian's package while ours is installed.
        expect(system.run('dpkg', '--install', '/srv/theirs.deb')).toContain('conflicting packages')
        expect(system.run('sluice', 'version')).toContain(FIRST_VERSION)
        // apt replaces our package only if an administrator explicitly installs Debian's package. Purging our package
        // then keeps Debian's program.
        apt('install', '/srv/theirs.deb')
        expect(system.run('sluice')).toBe('the other sluice\n')
        system.run('dpkg', '--purge', 'sluice-agent')
        expect(system.run('sluice')).toBe('the other sluice\n')
        apt('install', `sluice-agent=${FIRST_DEB_VERSION}`)
        expect(system.run('sluice', 'version')).toContain(FIRST_VERSION)
        expect(system.run('dpkg', '--status', 'sluice')).not.toContain('Status: install ok installed')
        system.run('dpkg', '--purge', 'sluice')
        expect(system.run('sluice', 'version')).toContain(FIRST_VERSION)
        // On a PC whose sources also offer Debian's package, the usual upgrade still upgrades our package.
        mkdirSync(inSystem('srv/debian'))
        cpSync(debianSluice, inSystem('srv/debian/sluice.deb'))
        const index = execFileSync('apt-ftparchive', ['packages', '.'], { cwd: inSystem('srv/debian') })
        writeFileSync(inSystem('srv/debian/Packages'), index)
        writeFileSync(inSystem('etc/apt/sources.list'), 'deb [trusted=yes] file:/srv/debian ./\n')
        apt('update')
        expect(system.run('apt-cache', 'policy', 'sluice')).toContain('Candidate: 0.02.15-1')
        apt('upgrade')
        expect(installedVersion()).toBe(`ii ${NEXT_VERSION}`)
        expect(system.run('dpkg', '--status', 'sluice')).toContain('is not installed')
      })

      test('remove and purge keep the files that the admin guide lists, and the `rm -rf` block of the guide deletes them', () => {
        system.run('sluice', 'service', 'install')
        apt('remove', 'sluice-agent')
        runGuide('apt purge sluice-agent')
        expect(existsSync(inSystem('opt/Sluice'))).toBe(false)
        expect(existsSync(inSystem('usr/bin/sluice'))).toBe(false)
        expect(system.run('systemctl', 'cat', 'sluice')).toContain('No files found')
        expect(readdirSync(inSystem('etc/sluice')).toSorted()).toEqual(['key', 'settings.json'])
        expect(readdirSync(inSystem('var/lib/sluice'))).toContain('journal.db')
        expect(system.run('getent', 'passwd', 'sluice')).toContain('sluice')

        runGuide('rm -rf /etc/sluice')
        expect(existsSync(inSystem('etc/sluice'))).toBe(false)
        expect(existsSync(inSystem('var/lib/sluice'))).toBe(false)
        expect(system.run('getent', 'passwd', 'sluice')).toBe('')
      })
    })
  },
)

/** Imitates Debian's package `sluice`: a package and a program of the same name. */
const makeDebianSluice = (work: string): string => {
  const tree = path.join(work, 'foreign')
  mkdirSync(path.join(tree, 'DEBIAN'), { recursive: true })
  mkdirSync(path.join(tree, 'usr/bin'), { recursive: true })
  writeFileSync(path.join(tree, 'usr/bin/sluice'), '#!/bin/sh\necho the other sluice\n', { mode: 0o755 })
  writeFileSync(
    path.join(tree, 'DEBIAN/control'),
    'Package: sluice\nVersion: 0.02.15-1\nArchitecture: all\nMaintainer: Nobody <nobody@sluice.invalid>\nDescription: rate limiting data piping tool\n',
  )
  const file = path.join(work, 'sluice_0.02.15-1_all.deb')
  execFileSync('dpkg-deb', ['--root-owner-group', '--build', tree, file], { stdio: 'pipe' })
  return file
}

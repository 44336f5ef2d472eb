import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ensureMinimalDebian, minimalDebian } from '../support/minimal-debian.ts'
import { needs } from '../support/needs.ts'
import { OwnSystem, ownSystem } from '../support/own-system.ts'
import type { PackagedApp } from '../support/packaged-app.ts'
import { SandboxProcess } from '../support/sandbox-process.ts'
import { type ServiceStats, until } from '../support/station.ts'

export const NEXT_VERSION = '9.0.0'
/**
 * Slow enough that the upload is still running after dpkg has installed the newer package, even on a busy computer.
 */
const SLOW_MBIT_PER_S = 4
const PARTS = 32
const PART_BYTES = 8 * 1024 * 1024

/** Builds a package with the same program but a newer version number. */
export const newerPackage = (deb: string, folder: string): string => {
  const tree = path.join(folder, 'tree')
  execFileSync('dpkg-deb', ['--raw-extract', deb, tree])
  const control = path.join(tree, 'DEBIAN/control')
  writeFileSync(control, readFileSync(control, 'utf8').replace(/^Version: .*$/m, `Version: ${NEXT_VERSION}`))
  writeFileSync(path.join(tree, 'opt/Sluice/resources/version'), `${NEXT_VERSION}\n`)
  const file = path.join(folder, 'newer.deb')
  execFileSync('dpkg-deb', ['--root-owner-group', '-Znone', '--build', tree, file], { stdio: 'pipe' })
  rmSync(tree, { recursive: true })
  return file
}

/** Replaces a file as a package manager does: a running program keeps the old file. */
const replaceFile = (file: string): void => {
  cpSync(file, `${file}.new`)
  renameSync(`${file}.new`, file)
}

/** The tests of an upgrade. They use packages that the caller has built. */
export const testUpgrade = (deb: () => string, app: () => PackagedApp): void => {
  test.concurrent('after an upgrade, an idle app with a hidden window restarts, and its window stays hidden', async () => {
    const data = path.join(app().home, 'upgraded')
    const logLines = () =>
      readdirSync(path.join(data, 'logs')).flatMap((name) =>
        readFileSync(path.join(data, 'logs', name), 'utf8').split('\n'),
      )
    const starts = () =>
      logLines()
        .filter((line) => line.includes('Sluice started'))
        .map((line) => Number(/"pid":(\d+)/.exec(line)?.[1]))
    const commandOf = (pid: number) => readFileSync(`/proc/${pid}/cmdline`, 'utf8')
    app().start(['--hidden', '--data', data])
    // The agent starts last. Once it runs, all processes of the app have read their version.
    await until(
      'the agent has started',
      () => existsSync(path.join(data, 'logs')) && logLines().some((line) => line.includes('agent started')),
    )
    const [first] = starts()
    for (const name of ['sluice', 'resources/app.asar']) replaceFile(path.join(app().folder, name))
    const version = path.join(app().folder, 'resources/version')
    const original = readFileSync(version, 'utf8')
    replaceFile(version)
    writeFileSync(version, `${NEXT_VERSION}\n`)
    try {
      const second = await until('the app has started again', () => starts()[1])
      expect(commandOf(second)).toContain('--hidden')
      await until('the old app has ended', () => !existsSync(`/proc/${first}`))
      process.kill(second)
      await until('the app has ended', () => !existsSync(`/proc/${second}`))
    } finally {
      writeFileSync(version, original)
    }
  })

  testServiceUpgrade(deb)
}

/** Tests an upgrade of the background service. Also works with a package that has only the background service and no window. */
export const testServiceUpgrade = (deb: () => string): void => {
  describe.concurrent('an upgrade', needs(minimalDebian, ownSystem), () => {
    let system: OwnSystem
    let sandbox: SandboxProcess
    let work: string

    const station = () =>
      JSON.parse(
        system.run('sluice', 'status', '--json', '--data', '/var/lib/sluice').split('\n')[0] ?? 'null',
      )
    const configure = (limitMbitPerS: number | null) => {
      const settings = {
        service: { base_url: sandbox.baseUrl },
        folders: [{ path: '/data/recordings', site: 'hall', settle_seconds: 1, part_size_bytes: PART_BYTES }],
        transfer: limitMbitPerS === null ? {} : { limit_mbit_per_s: limitMbitPerS },
        follow: { poll_seconds: 1 },
      }
      const file = path.join(system.root, 'etc/sluice/settings.json')
      writeFileSync(file, JSON.stringify(settings))
      chmodSync(file, 0o644)
    }
    const install = (file: string) => {
      cpSync(file, path.join(system.root, 'srv/package.deb'))
      return system.run('dpkg', '--install', '/srv/package.deb')
    }

    beforeAll(async () => {
      work = mkdtempSync(path.join(tmpdir(), 'sluice-upgrade-'))
      sandbox = await SandboxProcess.start(path.join(work, 'sandbox'))
      system = new OwnSystem(await ensureMinimalDebian())
      await system.boot()
    }, 600_000)
    afterAll(async () => {
      await system?.close()
      await sandbox?.stop()
      rmSync(work, { recursive: true, force: true })
    })

    test('in the middle of an upload loses nothing, sends nothing twice, and restarts the background service once it is idle', async () => {
      const newer = newerPackage(deb(), work)
      expect(install(deb())).toContain('Setting up sluice-agent')
      mkdirSync(path.join(system.root, 'etc/sluice'), { recursive: true })
      configure(SLOW_MBIT_PER_S)
      writeFileSync(path.join(system.root, 'etc/sluice/key'), sandbox.keys.write, { mode: 0o600 })
      const recording = path.join(system.root, 'data/recordings/long.bin')
      writeFileSync(recording, randomBytes(PARTS * PART_BYTES))
      chmodSync(recording, 0o644)
      expect(system.run('sluice', 'service', 'install')).toContain(
        'The background service is installed and started.',
      )
      const isUploading = () =>
        station()?.recordings?.some(
          ({ state, bytes_sent }: { readonly state: string; readonly bytes_sent: number }) =>
            state === 'uploading' && bytes_sent > 0,
        )
      await until('the recording is uploading', isUploading)
      const before = station().agent.pid

      expect(install(newer)).toContain(`Setting up sluice-agent (${NEXT_VERSION})`)
      const due = `A restart is due: version ${NEXT_VERSION} is installed`
      await until('the status reports that a restart is due', () => station().station.detail.includes(due))
      expect(isUploading()).toBe(true)
      expect(station().agent.pid).toBe(before)

      configure(null)
      await until('the service has restarted', () => (station().agent?.pid ?? before) !== before)
      await until('the recording is safe', () => station().recordings?.[0]?.state === 'processed')
      expect(station().station.detail).not.toContain(due)
      const { parts } = (await sandbox.control('GET', '/stats')) as ServiceStats
      const [session, ...others] = Object.values(parts)
      expect(others).toEqual([])
      expect(Object.values(session ?? {})).toEqual(Array(PARTS).fill(1))
    })
  })
}

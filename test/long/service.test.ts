import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { endChild } from '../support/child-end.ts'
import { type Need, needs, program } from '../support/needs.ts'
import { agentProgram } from '../support/programs.ts'
import { SandboxProcess } from '../support/sandbox-process.ts'
import { until } from '../support/station.ts'
import { SystemCopy, systemCopy } from '../support/system-copy.ts'

/**
 * Boots a real systemd in its own namespaces, on a copy of this system that is removed with the test. The copy shares
 * this computer's network, so that its agent can reach the sandbox.
 */

const BOOT = `
  mount --make-rprivate /; mount --bind "$R" "$R"; mount --make-rshared /
  mount -t proc proc "$R/proc"; mount -t sysfs sysfs "$R/sys"; mount -t cgroup2 none "$R/sys/fs/cgroup"
  mount -t tmpfs tmpfs "$R/run"; mount --rbind /dev "$R/dev"
  exec env container=other chroot "$R" /lib/systemd/systemd --system --unit=multi-user.target`

const ownSystem: Need = () => {
  const missing = systemCopy() ?? program('unshare')() ?? program('nsenter')()
  if (missing !== null) return missing
  return existsSync('/lib/systemd/systemd') && process.env.SLUICE_COMPILED !== undefined ? null : 'systemd'
}

class OwnSystem {
  readonly #copy = new SystemCopy()
  readonly root = this.#copy.root
  #child: ChildProcess | null = null
  #pid = 0

  constructor() {
    // The services of this computer must not start in the copy.
    rmSync(path.join(this.root, 'etc/systemd/system'), { recursive: true, force: true })
    for (const folder of ['opt/sluice', 'etc/sluice', 'data/recordings', 'etc/systemd/system'])
      mkdirSync(path.join(this.root, folder), { recursive: true, mode: 0o755 })
  }

  async boot(): Promise<void> {
    const args = [
      '--pid',
      '--fork',
      '--kill-child',
      '--mount',
      '--uts',
      '--ipc',
      '--cgroup',
      'sh',
      '-c',
      BOOT,
    ]
    const child = spawn('unshare', args, { env: { ...process.env, R: this.root }, stdio: 'ignore' })
    this.#child = child
    this.#pid = await until('systemd has started', () => {
      const children = `/proc/${child.pid}/task/${child.pid}/children`
      return Number(readFileSync(children, 'utf8').trim()) || null
    })
    await until('the system runs', () => /running|degraded/.test(this.run('systemctl', 'is-system-running')))
  }

  /** Like a power cut: no process gets a signal to shut down. */
  async cutPower(): Promise<void> {
    if (this.#child !== null) await endChild(this.#child, 'SIGKILL')
    this.#child = null
  }

  run(...command: string[]): string {
    const inside = ['-t', String(this.#pid), '-p', '-m', '-u', '-i', '-C', 'chroot', this.root]
    const env = { ...process.env, ELECTRON_RUN_AS_NODE: '1' }
    const { stdout, stderr } = spawnSync('nsenter', [...inside, ...command], { encoding: 'utf8', env })
    return stdout + stderr
  }

  async close(): Promise<void> {
    await this.cutPower()
    this.#copy.close()
  }
}

describe('a service of systemd', needs(ownSystem), () => {
  let system: OwnSystem
  let sandbox: SandboxProcess
  let sandboxFolder: string

  /** The copied runtime. The service's account cannot read the home folder of the user who runs the tests. */
  const runtime = () => path.join('/opt/sluice/runtime', path.basename(process.execPath))
  const sluice = (...args: string[]) =>
    system.run(runtime(), path.join('/opt/sluice/out/main', path.basename(agentProgram)), ...args)
  /** A failing command prints its error as JSON first, then as a sentence. */
  const station = () =>
    JSON.parse(sluice('status', '--json', '--data', '/var/lib/sluice').split('\n')[0] ?? '')
  const record = (name: string, bytes: number) => {
    const file = path.join(system.root, 'data/recordings', name)
    writeFileSync(file, randomBytes(bytes))
    chmodSync(file, 0o644)
  }
  /** Before the agent has created its journal, the status has no list of recordings. */
  const allSafe = (count: number) => () =>
    station().recordings?.filter(({ state }: { readonly state: string }) => state === 'processed').length ===
    count

  beforeAll(async () => {
    sandboxFolder = mkdtempSync(path.join(tmpdir(), 'sluice-service-'))
    sandbox = await SandboxProcess.start(sandboxFolder)
    system = new OwnSystem()
    const opt = path.join(system.root, 'opt/sluice')
    cpSync(path.dirname(process.execPath), path.join(opt, 'runtime'), { recursive: true })
    cpSync(path.dirname(path.dirname(agentProgram)), path.join(opt, 'out'), { recursive: true })
    for (const name of ['better-sqlite3', 'koffi', '@koromix'])
      cpSync(
        path.join(import.meta.dirname, '../../node_modules', name),
        path.join(opt, 'node_modules', name),
        {
          recursive: true,
          force: true,
        },
      )
    cpSync(path.join(import.meta.dirname, '../../package.json'), path.join(opt, 'package.json'))
    execFileSync('chmod', ['-R', 'a+rX', opt])
    const settings = {
      service: { base_url: sandbox.baseUrl },
      folders: [{ path: '/data/recordings', site: 'hall', settle_seconds: 1, part_size_bytes: 8_388_608 }],
      transfer: { limit_mbit_per_s: 60 },
      follow: { poll_seconds: 1 },
    }
    writeFileSync(path.join(system.root, 'etc/sluice/settings.json'), JSON.stringify(settings))
    chmodSync(path.join(system.root, 'etc/sluice/settings.json'), 0o644)
    writeFileSync(path.join(system.root, 'etc/sluice/key'), sandbox.keys.write)
    chmodSync(path.join(system.root, 'etc/sluice/key'), 0o600)
    await system.boot()
  })
  afterAll(async () => {
    await system.close()
    await sandbox.stop()
    rmSync(sandboxFolder, { recursive: true, force: true })
  })

  test('is installed with its own account, and uploads with a key that only root can read', async () => {
    record('first.bin', 100_000)
    expect(sluice('service', 'install')).toContain('The service is installed and started.')
    await until('the first recording is safe', allSafe(1))
    const { agent } = station()
    expect(agent).toMatchObject({ account: 'sluice', host: 'service' })
    expect(sluice('service', 'status')).toContain('starts at boot, and runs')
  })

  test('continues after a power cut in the middle of an upload, with no user signed in', async () => {
    record('long.bin', 64 * 1024 * 1024)
    await until('the recording is uploading', () =>
      station().recordings.some(
        ({ state, bytes_sent }: { readonly state: string; readonly bytes_sent: number }) =>
          state === 'uploading' && bytes_sent > 0,
      ),
    )
    await system.cutPower()
    await system.boot()
    await until('both recordings are safe', allSafe(2))
  })

  test('leaves data, settings and account in place when it is removed', () => {
    expect(sluice('service', 'stop')).toContain('The service is stopped.')
    expect(sluice('service', 'status')).toContain('does not run')
    expect(sluice('service', 'uninstall')).toContain('The service is removed.')
    expect(system.run('systemctl', 'cat', 'sluice')).toContain('No files found')
    expect(station()).toMatchObject({ agent: null, recordings: [{}, {}] })
  })
})

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { endChild } from './child-end.ts'
import { type Need, program } from './needs.ts'
import { until } from './station.ts'
import { SystemCopy, systemCopy } from './system-copy.ts'

/**
 * `OwnSystem` boots a real systemd in its own namespaces, on a copy of this system or of the system in the folder
 * `original`. The booted system shares this computer's network, so that its agent can reach the sandbox.
 */

const BOOT = `
  mount --make-rprivate /; mount --bind "$R" "$R"; mount --make-rshared /
  mount -t proc proc "$R/proc"; mount -t sysfs sysfs "$R/sys"; mount -t cgroup2 none "$R/sys/fs/cgroup"
  mount -t tmpfs tmpfs "$R/run"; mount --rbind /dev "$R/dev"
  exec env container=other chroot "$R" /lib/systemd/systemd --system --unit=multi-user.target`

export const ownSystem: Need = () => {
  const missing = systemCopy() ?? program('unshare')() ?? program('nsenter')()
  if (missing !== null) return missing
  return existsSync('/lib/systemd/systemd') && process.env.SLUICE_COMPILED !== undefined ? null : 'systemd'
}

export class OwnSystem {
  readonly #copy: SystemCopy
  readonly root: string
  #child: ChildProcess | null = null
  #pid = 0

  constructor(original = '/') {
    this.#copy = new SystemCopy(original)
    this.root = this.#copy.root
    // The services of the original must not start in the copy.
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

  /** Kills the system, as a power cut does: no process gets a signal to shut down. */
  async cutPower(): Promise<void> {
    if (this.#child !== null) await endChild(this.#child, 'SIGKILL')
    this.#child = null
  }

  run(...command: string[]): string {
    const { stdout, stderr } = spawnSync('nsenter', this.#inside(command), {
      encoding: 'utf8',
      env: commandEnvironment(),
    })
    return stdout + stderr
  }

  /** Starts a command without waiting for its end, so that a test can cut the power while it runs. */
  start(...command: string[]): void {
    spawn('nsenter', this.#inside(command), { env: commandEnvironment(), stdio: 'ignore' })
  }

  #inside(command: readonly string[]): string[] {
    const options = ['-t', String(this.#pid), '-p', '-m', '-u', '-i', '-C', 'chroot', this.root]
    return [...options, ...command]
  }

  async close(): Promise<void> {
    await this.cutPower()
    this.#copy.close()
  }
}

const commandEnvironment = (): NodeJS.ProcessEnv => ({ ...process.env, ELECTRON_RUN_AS_NODE: '1' })

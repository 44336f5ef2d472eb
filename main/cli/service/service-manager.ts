import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, userInfo } from 'node:os'
import path from 'node:path'
import { SYSTEM_DATA_FOLDER, serviceDataFolder } from '../../endpoint/endpoint-place.ts'
import type { Owner } from '../../local-files/data-folder-owner.ts'
import { ownDataFolder } from '../program/own-data-folder.ts'
import { type ServicePlan, systemdUnit } from './service-files.ts'

/** The calls to systemd that the commands use, and the data folder and account of a service on each system. */

export type Outcome = { readonly code: number; readonly out: string; readonly err: string }
export type RunCommand = (program: string, args: readonly string[]) => Outcome

export const runCommand: RunCommand = (program, args) => runWithin(undefined, program, args)

/** `doctor` waits only this long for a program. */
const CHECK_TIMEOUT_MS = 10_000

export const runCheck: RunCommand = (program, args) => runWithin(CHECK_TIMEOUT_MS, program, args)

const runWithin = (timeout: number | undefined, program: string, args: readonly string[]): Outcome => {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8', timeout })
  if ((error as NodeJS.ErrnoException | undefined)?.code === 'ETIMEDOUT')
    return { code: 124, out: '', err: `${program} did not answer within ${CHECK_TIMEOUT_MS / 1000} s.` }
  if (error !== undefined)
    return { code: 127, out: '', err: `${program} cannot be started: ${error.message}` }
  return { code: status ?? 1, out: stdout, err: stderr }
}

export type SystemdOptions = {
  /** True if the service runs under the account of this user, false if it has its own account. */
  readonly isUser: boolean
  readonly run: RunCommand
  /** The folder for the unit file. */
  readonly unitFolder: string
}

/** Full paths, because root's search path may contain a folder that another user can write to. */
const SYSTEMCTL = '/usr/bin/systemctl'
const LOGINCTL = '/usr/bin/loginctl'
const GETENT = '/usr/bin/getent'
const USERADD = '/usr/sbin/useradd'

const UNIT = 'sluice.service'
const SYSTEM_UNITS = '/etc/systemd/system'
const DEFAULT_ACCOUNT = 'sluice'

export const systemdFor = (isUser: boolean): SystemdOptions => ({
  isUser,
  run: runCommand,
  unitFolder: isUser
    ? path.join(process.env.XDG_CONFIG_HOME || path.join(homedir(), '.config'), 'systemd/user')
    : SYSTEM_UNITS,
})

export const dataFolderFor = (
  isUser: boolean,
  platform: NodeJS.Platform = process.platform,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): string => (isUser ? ownDataFolder : serviceDataFolder)(platform, environment)

/** Windows has an account for services. On other systems, the service gets its own account. */
export const defaultAccountFor = (platform: NodeJS.Platform): string =>
  platform === 'win32' ? 'LOCAL SERVICE' : DEFAULT_ACCOUNT

export const throwIfFailed = ({ code, err, out }: Outcome, sentence: string): void => {
  if (code !== 0) throw new Error(`${sentence} ${(err || out).trim()}`)
}

const systemctl = ({ isUser, run }: SystemdOptions, ...args: readonly string[]): Outcome =>
  run(SYSTEMCTL, [...(isUser ? ['--user'] : []), ...args])

export const makeAccount = ({ run }: SystemdOptions, account: string): void => {
  if (run(GETENT, ['passwd', account]).code === 0) return
  const shell = '/usr/sbin/nologin'
  const args = ['--system', '--user-group', '--home-dir', SYSTEM_DATA_FOLDER, '--shell', shell, account]
  throwIfFailed(run(USERADD, args), `The account ${account} could not be created.`)
}

export const ownerOf = ({ run }: Pick<SystemdOptions, 'run'>, account: string): Owner => {
  const [, , uid = '', gid = ''] = run(GETENT, ['passwd', account]).out.split(':')
  if (!/^\d+$/.test(uid) || !/^\d+$/.test(gid)) throw new Error(`There is no account ${account}.`)
  return { uid: Number(uid), gid: Number(gid) }
}

export const unitFileOf = ({ unitFolder }: SystemdOptions): string => path.join(unitFolder, UNIT)

/**
 * The account and group that the installed unit names. A repeated install keeps both.
 */
export const registeredUnit = (
  options: Pick<SystemdOptions, 'unitFolder'>,
): { readonly account: string | null; readonly group: string | null } => {
  const file = path.join(options.unitFolder, UNIT)
  const unit = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const read = (name: string) => new RegExp(`^${name}=(.+)$`, 'm').exec(unit)?.[1] ?? null
  return { account: read('User'), group: read('SupplementaryGroups') }
}

/**
 * Installs and enables the unit. A repeated call also succeeds. Returns a sentence if the service starts only at
 * sign-in.
 */
export const installUnit = (plan: ServicePlan, options: SystemdOptions): string | null => {
  mkdirSync(options.unitFolder, { recursive: true })
  writeFileSync(unitFileOf(options), systemdUnit(plan))
  chmodSync(unitFileOf(options), 0o644)
  throwIfFailed(systemctl(options, 'daemon-reload'), 'systemd did not read the new unit.')
  throwIfFailed(systemctl(options, 'enable', UNIT), 'The background service could not be enabled.')
  if (!options.isUser) return null
  const { username } = userInfo()
  // Without lingering, systemd ends the user's services at sign-out, and some systems allow only administrators to
  // enable lingering. This failure is no error, because the service is useful while the user is signed in.
  return options.run(LOGINCTL, ['enable-linger', username]).code === 0
    ? null
    : `The background service runs only while ${username} is signed in. To start it at boot, an administrator runs: loginctl enable-linger ${username}`
}

/**
 * Stops the service and removes its unit. Returns false if no unit is installed. Keeps data, settings and account: the
 * journal is the only proof of the uploads.
 */
export const uninstallUnit = (options: SystemdOptions): boolean => {
  const isInstalled = existsSync(unitFileOf(options))
  if (!isInstalled) return false
  throwIfFailed(systemctl(options, 'disable', '--now', UNIT), 'The background service could not be stopped.')
  rmSync(unitFileOf(options))
  throwIfFailed(systemctl(options, 'daemon-reload'), 'systemd did not read the change.')
  return true
}

export const startUnit = (options: SystemdOptions): void =>
  throwIfFailed(systemctl(options, 'restart', UNIT), 'The background service could not be started.')

export const stopUnit = (options: SystemdOptions): void =>
  throwIfFailed(systemctl(options, 'stop', UNIT), 'The background service could not be stopped.')

export const unitState = (options: SystemdOptions) => ({
  installed: existsSync(unitFileOf(options)),
  enabled: systemctl(options, 'is-enabled', UNIT).code === 0,
  active: systemctl(options, 'is-active', UNIT).code === 0,
})

import { closeSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { windowsSystemFile } from '../../../shared/paths/system-files.ts'
import { UPDATE_TASK } from '../../agent/platform/update-task.ts'
import { createPlainFile, writeAll } from '../../local-files/plain-file.ts'
import { loadWindowsSecurity } from '../../managed/windows-security.ts'
import {
  ADMINISTRATORS_SID,
  type CheckedPath,
  SYSTEM_SID,
  USERS_SID,
} from '../../managed/windows-trust-rules.ts'
import { refusePlantedFiles } from './planted-files.ts'
import { type RightsReader, rightsOnThisPc, whyProgramIsUntrusted, whyUntrusted } from './program-rights.ts'
import {
  type ServicePlan,
  scheduledTask,
  updateTask,
  windowsAccountName,
  windowsAccountSid,
  windowsServiceSids,
} from './service-files.ts'
import { type Outcome, type RunCommand, runCommand, throwIfFailed } from './service-manager.ts'

/**
 * Hard case: A user creates the data folder of the background service before the administrator installs the service.
 * Every user may create folders in `%ProgramData%`. The install refuses a folder that a user owns, or that contains a
 * file of a user. Only the account of the service, administrators and the system get access to the data folder. The
 * install removes all other access before it moves a file of the station there.
 */

export type WindowsOptions = RightsReader & {
  readonly run: RunCommand
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The SID of an account of this PC or its domain. Null if there is no such account. */
  readonly accountSid: (name: string) => string | null
}

export const TASK = 'Sluice'

export const windowsOptions = (): WindowsOptions => ({
  run: runCommand,
  environment: process.env,
  accountSid: (name) => loadWindowsSecurity().accountSid(name),
  ...rightsOnThisPc,
})

const refuseUntrusted = (kind: CheckedPath['kind'], place: string, options: WindowsOptions): void => {
  const why = whyUntrusted(kind, place, options)
  if (why !== null) throw new Error(why)
}

const icacls = ({ run, environment }: WindowsOptions, folder: string, ...args: readonly string[]): void =>
  // With /L, icacls changes a planted link itself, not its target.
  throwIfFailed(
    run(windowsSystemFile('icacls.exe', environment), [folder, '/L', ...args]),
    `The access list of ${folder} could not be set.`,
  )

const schtasks = ({ run, environment }: WindowsOptions, ...args: readonly string[]): Outcome =>
  run(windowsSystemFile('schtasks.exe', environment), args)

/** Creates the folder and gives it to the administrators. Refuses an existing folder that a user owns. */
const makeOwnFolder = (options: WindowsOptions, folder: string, ...grants: readonly string[]): void => {
  try {
    mkdirSync(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    if (![ADMINISTRATORS_SID, SYSTEM_SID].includes(options.rightsOf(folder).owner))
      throw new Error(
        `${folder} belongs to a user, so the background service does not use it. Remove the folder, or give it to the administrators: icacls "${folder}" /setowner *${ADMINISTRATORS_SID}`,
      )
  }
  icacls(options, folder, '/setowner', `*${ADMINISTRATORS_SID}`)
  icacls(options, folder, '/inheritance:r', '/grant:r', ...grants)
}

/** Removes the entries of all other accounts from the access list, because `/grant:r` keeps them. */
const removeOtherEntries = (options: WindowsOptions, folder: string, accounts: readonly string[]): void => {
  const others = () => options.rightsOf(folder).allowed?.filter(({ sid }) => !accounts.includes(sid)) ?? null
  for (const sid of new Set(others()?.map((entry) => entry.sid)))
    icacls(options, folder, '/remove', `*${sid}`)
  const remaining = others()
  if (remaining === null || remaining.length > 0)
    throw new Error(
      `${remaining === null ? 'Everybody' : options.nameOf(remaining[0]?.sid ?? '')} may use ${folder}, and Sluice could not change this. Remove the folder.`,
    )
}

const fullAccess = (who: string): string => `${who}:(OI)(CI)F`
const administrators = [fullAccess(`*${ADMINISTRATORS_SID}`), fullAccess(`*${SYSTEM_SID}`)]

/** Creates the data folder. Only administrators, the system and the account of the service may use it. */
export const makeDataFolder = (
  { dataFolder, account }: Pick<ServicePlan, 'dataFolder' | 'account'>,
  options: WindowsOptions,
): void => {
  const sid = windowsAccountSid(account) ?? options.accountSid(account ?? '')
  if (sid === null) throw new Error(`There is no account ${account}.`)
  const parent = path.dirname(dataFolder)
  // Users may read this folder, because it also contains the managed settings.
  makeOwnFolder(options, parent, ...administrators, `*${USERS_SID}:(OI)(CI)RX`)
  // The folder may still have entries of other accounts. Refuse it if another account may replace or delete files.
  refuseUntrusted('folder', parent, options)
  // A failed install must not lock out the account under which the service already runs. So the entries of other
  // accounts stay until the first check for planted files has passed.
  makeOwnFolder(options, dataFolder, ...administrators, fullAccess(`*${sid}`))
  const accounts = [ADMINISTRATORS_SID, SYSTEM_SID, sid]
  // The service may have run under LOCAL SERVICE or NETWORK SERVICE before, so these accounts may own files.
  const owners = [...accounts, ...windowsServiceSids]
  refusePlantedFiles(dataFolder, owners, options)
  removeOtherEntries(options, dataFolder, accounts)
  // Check again, because until now, other accounts could add files.
  refusePlantedFiles(dataFolder, owners, options)
  // Files may have entries of their own. With /reset, they keep only the entries that they inherit from the folder.
  if (readdirSync(dataFolder).length > 0) icacls(options, path.join(dataFolder, '*'), '/reset', '/T')
}

/**
 * Creates the folder from which the system starts installers. Refuses a folder that a user has created: every user may
 * create folders in `%ProgramData%`.
 */
export const makeInstallerFolder = (folder: string, options: WindowsOptions): void => {
  refuseUntrusted('folder', path.dirname(folder), options)
  makeOwnFolder(options, folder, ...administrators)
  refuseUntrusted('program folder', folder, options)
}

const writeNewFile = (file: string, bytes: Buffer): void => {
  const handle = createPlainFile(file)
  try {
    writeAll(handle, bytes)
  } finally {
    closeSync(handle)
  }
}

const register = (name: string, xml: string, plan: ServicePlan, options: WindowsOptions): void => {
  // In this folder, no user can change the file before `schtasks` reads it.
  const file = path.join(path.dirname(plan.dataFolder), 'task.xml')
  try {
    // Replace an existing file: a user may have created it before, and would still own it.
    writeNewFile(file, Buffer.from(`\uFEFF${xml}`, 'utf16le'))
    throwIfFailed(
      schtasks(options, '/Create', '/TN', name, '/XML', file, '/F'),
      'Windows did not register the task.',
    )
  } finally {
    rmSync(file, { force: true })
  }
}

/**
 * Registers or replaces the task that runs the agent. Also registers or replaces the task that installs updates. If
 * that is not possible, removes this second task. Returns a sentence if users can change the program, because the
 * system must not run such a program.
 */
export const installTask = (plan: ServicePlan, options: WindowsOptions): string | null => {
  register(TASK, scheduledTask(plan), plan, options)
  const installsUpdates = updateTask(plan)
  const why = installsUpdates === null ? null : whyProgramIsUntrusted(plan.program, options)
  if (installsUpdates !== null && why === null) {
    register(UPDATE_TASK, installsUpdates, plan, options)
    return null
  }
  schtasks(options, '/Delete', '/TN', UPDATE_TASK, '/F')
  return why === null
    ? null
    : `The background service cannot install updates, because the system must not run a program that users can change. ${why}`
}

/** Looks only inside `Settings`, because a trigger has an `Enabled` element too. */
const isTaskEnabled = (xml: string): boolean =>
  !/<Settings>[\s\S]*<Enabled>false<\/Enabled>[\s\S]*<\/Settings>/.test(xml)

export const taskState = (options: WindowsOptions) => {
  const { code, out } = schtasks(options, '/Query', '/TN', TASK, '/XML')
  const installed = code === 0
  return { installed, enabled: installed && isTaskEnabled(out) }
}

export type TaskDetails = {
  readonly account: string
  readonly isEnabled: boolean
  readonly startsAtBoot: boolean
  /** A time in the language of this Windows. Null if Windows does not report it. */
  readonly lastRun: string | null
  readonly lastResult: string | null
}

/** The columns of `schtasks /V`. Their titles depend on the language of Windows, their order does not. */
const LAST_RUN_COLUMN = 5
const LAST_RESULT_COLUMN = 6

const firstRowOf = (csv: string): readonly string[] =>
  [...(csv.split('\n', 1)[0] ?? '').matchAll(/"((?:[^"]|"")*)"/g)].map(([, field = '']) => field)

/** Compare the HRESULT codes, because the messages of schtasks depend on the language of Windows. */
const FILE_NOT_FOUND = 0x8007_0002
const ACCESS_DENIED = 0x8007_0005

/** Why there are no details. `unknown`: Windows did not answer, or reported a different failure. */
export type TaskFailure = {
  readonly failure: 'not-registered' | 'denied' | 'unknown'
  readonly detail: string
}

const failureOf = ({ code, err, out }: Outcome): TaskFailure => {
  const detail = (err || out).trim()
  switch (code >>> 0) {
    case FILE_NOT_FOUND:
      return { failure: 'not-registered', detail }
    case ACCESS_DENIED:
      return { failure: 'denied', detail }
    default:
      return { failure: 'unknown', detail }
  }
}

export const taskDetails = (options: WindowsOptions): TaskDetails | TaskFailure => {
  const outcome = schtasks(options, '/Query', '/TN', TASK, '/XML', '/HRESULT')
  if (outcome.code !== 0) return failureOf(outcome)
  const { out } = outcome
  const row = firstRowOf(schtasks(options, '/Query', '/TN', TASK, '/V', '/NH', '/FO', 'CSV').out.trim())
  const userId = /<UserId>([^<]*)<\/UserId>/.exec(out)?.[1] ?? 'an unknown account'
  return {
    account: windowsAccountName(userId),
    isEnabled: isTaskEnabled(out),
    startsAtBoot: out.includes('<BootTrigger>'),
    lastRun: row[LAST_RUN_COLUMN] || null,
    lastResult: row[LAST_RESULT_COLUMN] || null,
  }
}

export const startTask = (options: WindowsOptions): void => {
  // The task starts only one agent, so end a running agent first. If none runs, `/End` fails; ignore that.
  schtasks(options, '/End', '/TN', TASK)
  throwIfFailed(schtasks(options, '/Run', '/TN', TASK), 'The background service could not be started.')
}

export const stopTask = (options: WindowsOptions): void =>
  throwIfFailed(schtasks(options, '/End', '/TN', TASK), 'The background service could not be stopped.')

/**
 * Ends the agent, and removes its task and the task that installs updates. Keeps data and settings: the journal is the
 * only proof of the uploads. Returns false if the agent has no task.
 */
export const uninstallTask = (options: WindowsOptions): boolean => {
  if (!taskState(options).installed) return false
  schtasks(options, '/End', '/TN', TASK)
  throwIfFailed(schtasks(options, '/Delete', '/TN', TASK, '/F'), 'The task could not be removed.')
  // This call fails if the service has no task that installs updates; ignore that.
  schtasks(options, '/Delete', '/TN', UPDATE_TASK, '/F')
  return true
}

import { existsSync } from 'node:fs'
import path from 'node:path'
import { type Command, defineCommand, type Option } from '../program/command.ts'
import type { CommandInput } from '../program/command-input.ts'
import { findAgent } from '../running-agent.ts'
import { printJson, printLine } from '../terminal.ts'
import { registeredAccount } from './registered-account.ts'
import { type ServiceControl, serviceControl, uninstallService } from './service-control.ts'
import { launchDaemon, type ServicePlan, scheduledTask, systemdUnit } from './service-files.ts'
import { dataFolderFor, defaultAccountFor, registeredUnit, systemdFor } from './service-manager.ts'
import { windowsOptions } from './windows-task.ts'

const KEY_FILE = '/etc/sluice/key'

const userOption = {
  user: { summary: 'the background service of your own account, with the data folder of your window' },
} as const satisfies Readonly<Record<string, Option>>

/** The key file of this PC, if there is one. The service of a single user uses no key file. */
const findKeyFile = (isUser: boolean): string | null => (!isUser && existsSync(KEY_FILE) ? KEY_FILE : null)

type UserInput = CommandInput<'user'>

/** True for the service of a single user. Refuses `--user` on Windows, which has no such service. */
const isOfUser = (input: UserInput): boolean => {
  const isUser = input.has('user')
  if (isUser && process.platform === 'win32')
    throw input.refuse('Windows has no background service for a single user. Leave out --user.')
  return isUser
}

/**
 * Throws an Error for the user on a system without a supported service manager. On Linux, also throws without root,
 * unless `--user` is given.
 */
const controlOf = (input: UserInput): ServiceControl => {
  const isUser = isOfUser(input)
  const control = serviceControl(isUser)
  if (process.platform === 'linux' && !isUser && process.geteuid?.() !== 0)
    throw new Error(
      'Run this command as root, or add --user for a background service under your own account.',
    )
  return control
}

/**
 * The account and group of the installed service. An update of the package repeats `service install`, which must keep
 * them.
 */
const registered = (isUser: boolean): { readonly account: string | null; readonly group: string | null } => {
  switch (process.platform) {
    case 'win32':
      return { account: registeredAccount(windowsOptions()), group: null }
    case 'linux':
      return isUser ? { account: null, group: null } : registeredUnit(systemdFor(false))
    default:
      return { account: null, group: null }
  }
}

const planOf = (
  input: CommandInput<'user' | 'account' | 'group'>,
  program: readonly string[],
): ServicePlan => {
  const isUser = input.has('user')
  for (const option of ['account', 'group'] as const)
    if (isUser && input.text(option) !== null) throw input.refuse(`Give --user or --${option}, not both.`)
  if (process.platform === 'win32' && input.text('group') !== null)
    throw input.refuse('On Windows, set control.group in the managed settings instead of --group.')
  const { account, group } = registered(isUser)
  return {
    program,
    dataFolder: dataFolderFor(isUser),
    account: isUser ? null : (input.text('account') ?? account ?? defaultAccountFor(process.platform)),
    group: input.text('group') ?? group,
    keyFile: findKeyFile(isUser),
    runsAsNode: process.env.ELECTRON_RUN_AS_NODE !== undefined,
  }
}

const fileFor = (plan: ServicePlan): string => {
  switch (process.platform) {
    case 'win32':
      return scheduledTask(plan)
    case 'darwin':
      return launchDaemon(plan)
    default:
      return systemdUnit(plan)
  }
}

export const serviceInstallCommand = defineCommand({
  name: 'service install',
  group: 'setup',
  summary: 'start the agent at boot, without a signed-in user',
  about: [
    'Linux: creates the account and a hardened unit for systemd, and starts the agent as a background service. Its data is in /var/lib/sluice. It uses the managed settings in /etc/sluice. If /etc/sluice/key exists, systemd passes the key to the agent, so only root needs to read that file. The account needs permission to read the recording folders; “sluice doctor” checks this.',
    'With --user, the background service runs under your own account and with the data folder of your window, so journal and settings stay as they are. If you entered your key in the window, enter it once more in the attached window.',
    '--from moves the journal, settings and stored key of a station into the data folder of the background service; “sluice service uninstall --to FOLDER” moves them back. Stop the agent of that station first. An interrupted move loses nothing, and the same command finishes the move. A key that was entered in the window, or encrypted with DPAPI, cannot be moved: the command then asks you to enter it again.',
    'Windows: creates a scheduled task that starts at boot, and the data folder %ProgramData%\\Sluice\\data, which only administrators, SYSTEM and the account may use. Run the command as an administrator. DPAPI encrypts a key that you enter in a window, so that only the account can read it.',
    'macOS: --print prints a LaunchDaemon, which you register yourself.',
    'You can repeat the command after an update. Without --account and --group, the background service keeps its account and group.',
  ],
  data: 'none',
  options: {
    ...userOption,
    account: {
      value: { kind: 'text', name: 'NAME' },
      summary:
        'the account of the agent (default: the account of the installed service, otherwise sluice, or on Windows LOCAL SERVICE)',
    },
    group: {
      value: { kind: 'text', name: 'GROUP' },
      summary:
        'a group that the account joins (default: the group of the installed service); set control.group to this group to let its members attach. Not on Windows: there, set only control.group',
    },
    from: {
      value: { kind: 'folder', name: 'FOLDER' },
      summary:
        'move the station in this data folder, such as the data folder of a window, into the background service',
    },
    print: { summary: 'print the file for this system, and change nothing' },
  },
  json: 'unit (the path of the unit file; on Windows the name of the task), data (the data folder) and hint (null, or why the agent starts only at sign-in, cannot install updates or has no key).',
  exits: { 0: 'installed and started; with --print, the file is printed' },
  examples: [
    'sluice service install',
    'sluice service install --group recorders',
    'sluice service install --user',
  ],
  run: (input, { launchCommand }) => {
    const plan = planOf(input, launchCommand)
    if (input.has('print')) {
      process.stdout.write(fileFor(plan))
      return 0
    }
    const control = controlOf(input)
    const from = input.text('from')
    if (from !== null && plan.account === null)
      throw input.refuse('--user already uses the data folder of your window. Leave out --from.')
    const { unit, hint } = control.install(plan, from === null ? null : path.resolve(from))
    control.start()
    if (input.json) printJson({ unit, data: plan.dataFolder, hint })
    else printLine(`The background service is installed and started. Its data is in ${plan.dataFolder}.`)
    if (hint !== null && !input.json) printLine(hint)
    return 0
  },
})

export const serviceUninstallCommand = defineCommand({
  name: 'service uninstall',
  group: 'setup',
  summary: 'stop the background service and remove its unit; data and settings stay',
  about: [
    'The next “sluice service install” continues with the same journal. A window continues with this journal only if you add --to, or if you installed the background service with --user. Data, settings, key and account stay. Remove them yourself if you no longer need them; on Linux, they are in /var/lib/sluice and /etc/sluice.',
  ],
  data: 'none',
  options: {
    ...userOption,
    to: {
      value: { kind: 'folder', name: 'FOLDER' },
      summary: 'move the station to this data folder, such as the data folder of a window',
    },
  },
  json: 'removed (false if there was no background service), moved_to (the folder that --to names, or null) and key_file (the key file that stays, or null).',
  exits: { 0: 'the background service is not installed' },
  examples: ['sluice service uninstall', 'sluice service uninstall --to /home/anna/.config/sluice'],
  run: (input) => {
    const folder = input.text('to')
    const to = folder === null ? null : path.resolve(folder)
    if (to !== null && input.has('user'))
      throw input.refuse('--user already uses the data folder of your window. Leave out --to.')
    const wasInstalled = uninstallService(controlOf(input), { from: dataFolderFor(false), to })
    const keyFile = findKeyFile(input.has('user'))
    if (input.json) {
      printJson({ removed: wasInstalled, moved_to: to, key_file: keyFile })
      return 0
    }
    const sentence = wasInstalled ? 'The background service is removed.' : 'There is no background service.'
    if (to !== null) printLine(`${sentence} The station is now in ${to}.`)
    else printLine(wasInstalled ? `${sentence} Its data stays.` : sentence)
    if (keyFile !== null)
      printLine(`The key file ${keyFile} stays. If no program needs it any more, remove it: rm ${keyFile}`)
    return 0
  },
})

const startOrStopCommand = (action: 'start' | 'stop', summary: string, done: string): Command =>
  defineCommand({
    name: `service ${action}`,
    group: 'setup',
    summary,
    about: ['After the next start, uploads continue where they stopped.'],
    data: 'none',
    options: userOption,
    json: 'active.',
    exits: { 0: done },
    examples: [`sluice service ${action}`],
    run: (input) => {
      const control = controlOf(input)
      if (action === 'start') control.start()
      else control.stop()
      if (input.json) printJson({ active: action === 'start' })
      else printLine(`The background service is ${done}.`)
      return 0
    },
  })

export const serviceStartCommand = startOrStopCommand(
  'start',
  'start the background service, or restart it',
  'started',
)
export const serviceStopCommand = startOrStopCommand(
  'stop',
  'stop the background service until someone starts it or the PC boots',
  'stopped',
)

export const serviceStatusCommand = defineCommand({
  name: 'service status',
  group: 'setup',
  summary: 'show whether the background service is installed and which agent runs',
  about: ['“sluice status” shows the station itself.'],
  data: 'none',
  options: userOption,
  json: 'installed, enabled, active (whether it runs now), agent (version, pid, account; null if no agent can be reached) and trouble (why the agent cannot be reached, or null).',
  exits: { 0: 'the background service runs', 2: 'it is not installed or does not run' },
  examples: ['sluice service status', 'sluice service status --user'],
  run: async (input) => {
    const isUser = isOfUser(input)
    const found = serviceControl(isUser).state()
    const { agent, trouble } = await findAgent(dataFolderFor(isUser))
    // Windows does not report whether the service runs, so a running agent decides. Without an installed service, that
    // agent belongs to a window or to `sluice run`.
    const state = { ...found, active: found.active ?? (found.installed && agent !== null) }
    if (input.json)
      printJson({
        ...state,
        agent: agent === null ? null : { version: agent.version, pid: agent.pid, account: agent.account },
        trouble,
      })
    else {
      printLine(
        state.installed
          ? `The background service is installed, ${state.enabled ? `starts ${isUser ? 'at boot or at sign-in' : 'at boot'}` : 'does not start at boot'}, and ${state.active ? 'runs' : 'does not run'}.`
          : 'There is no background service.',
      )
      if (agent !== null) printLine(`Agent ${agent.version} runs as ${agent.account} (process ${agent.pid}).`)
      if (trouble !== null) printLine(trouble)
    }
    return state.active ? 0 : 2
  },
})

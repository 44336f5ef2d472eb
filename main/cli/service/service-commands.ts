import { existsSync } from 'node:fs'
import path from 'node:path'
import { type Command, defineCommand, type Option } from '../program/command.ts'
import type { CommandInput } from '../program/command-input.ts'
import { findAgent } from '../running-agent.ts'
import { printJson, printLine } from '../terminal.ts'
import { moveStation } from './move-station.ts'
import { launchDaemon, type ServicePlan, scheduledTask, systemdUnit } from './service-files.ts'
import {
  dataFolderFor,
  defaultAccountFor,
  installUnit,
  makeAccount,
  ownerOf,
  startUnit,
  stopUnit,
  systemdFor,
  uninstallUnit,
  unitFileOf,
  unitState,
} from './service-manager.ts'

const KEY_FILE = '/etc/sluice/key'

const userOption = {
  user: { summary: 'a service under your own account, with the data folder of your window' },
} as const satisfies Readonly<Record<string, Option>>

type UserInput = CommandInput<'user'>

/** Throws unless this system and this account can manage the service. */
const requireSystemd = (input: UserInput): void => {
  if (process.platform !== 'linux')
    throw new Error(
      'This command works on Linux only. Print the file for this system with: sluice service install --print',
    )
  if (!input.has('user') && process.geteuid?.() !== 0)
    throw new Error('Run this as root, or add --user for a service under your own account.')
}

const planOf = (
  input: CommandInput<'user' | 'account' | 'group'>,
  program: readonly string[],
): ServicePlan => {
  const isUser = input.has('user')
  if (isUser && input.text('account') !== null) throw input.refuse('Give --user or --account, not both.')
  return {
    program,
    dataFolder: dataFolderFor(isUser),
    account: isUser ? null : (input.text('account') ?? defaultAccountFor(process.platform)),
    group: input.text('group'),
    keyFile: !isUser && existsSync(KEY_FILE) ? KEY_FILE : null,
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
    'Linux: creates the account and a hardened unit for systemd, and starts the service. Its data is in /var/lib/sluice. It uses the managed settings in /etc/sluice. If /etc/sluice/key exists, systemd passes the key to the service, so only root needs to read that file. The account needs permission to read the recording folders; “sluice doctor” checks this.',
    'With --user the service runs under your own account and with the data folder of your window, so journal and settings stay as they are. If your key is in the keychain, enter it once more in the window that attaches to the service.',
    '--from moves the journal, settings and stored key of a station into the service; “sluice service uninstall --to FOLDER” moves them back. Stop the agent of that station first. An interrupted move loses nothing, and the same command finishes the move. A key in a keychain cannot be moved.',
    'You can repeat the command after an update. Windows and macOS: --print writes a task for schtasks, or a LaunchDaemon.',
  ],
  data: 'none',
  options: {
    ...userOption,
    account: {
      value: { kind: 'text', name: 'NAME' },
      summary: 'the account of the service (default: sluice; on Windows LOCAL SERVICE)',
    },
    group: {
      value: { kind: 'text', name: 'GROUP' },
      summary: 'a group that the account joins; set control.group to this group to let its members attach',
    },
    from: {
      value: { kind: 'folder', name: 'FOLDER' },
      summary: 'move the station in this data folder, such as the data folder of a window, into the service',
    },
    print: { summary: 'print the file for this system, and change nothing' },
  },
  json: 'unit (the path of the unit file), data (the data folder) and hint (null, or why the service starts only at sign-in).',
  exits: { 0: 'installed and started' },
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
    requireSystemd(input)
    const options = systemdFor(input.has('user'))
    const { account } = plan
    if (account !== null) makeAccount(options, account)
    const from = input.text('from')
    if (from !== null) {
      if (account === null)
        throw input.refuse('--user uses the data folder of your window: nothing has to move.')
      moveStation(path.resolve(from), plan.dataFolder, ownerOf(options, account))
    }
    const hint = installUnit(plan, options)
    startUnit(options)
    if (input.json) printJson({ unit: unitFileOf(options), data: plan.dataFolder, hint })
    else printLine(`The service is installed and started. Its data is in ${plan.dataFolder}.`)
    if (hint !== null && !input.json) printLine(hint)
    return 0
  },
})

export const serviceUninstallCommand = defineCommand({
  name: 'service uninstall',
  group: 'setup',
  summary: 'stop the service and remove its unit; data and settings stay',
  about: [
    'The next window, or the next “sluice service install”, continues with the same journal. Data, settings, key and account stay: remove /var/lib/sluice and /etc/sluice yourself if you no longer need them.',
  ],
  data: 'none',
  options: {
    ...userOption,
    to: {
      value: { kind: 'folder', name: 'FOLDER' },
      summary: 'move the station to this data folder, such as the data folder of a window',
    },
  },
  json: 'removed (false if there was no service).',
  exits: { 0: 'the service is not installed any more' },
  examples: ['sluice service uninstall', 'sluice service uninstall --to /home/anna/.config/sluice'],
  run: (input) => {
    requireSystemd(input)
    const wasInstalled = uninstallUnit(systemdFor(input.has('user')))
    const to = input.text('to')
    if (to !== null) {
      if (input.has('user'))
        throw input.refuse('--user uses the data folder of your window: nothing has to move.')
      if (!existsSync(to)) throw new Error(`There is no folder ${to}.`)
      moveStation(dataFolderFor(false), path.resolve(to), null)
    }
    if (input.json) printJson({ removed: wasInstalled })
    else printLine(wasInstalled ? 'The service is removed. Its data stays.' : 'There is no service.')
    return 0
  },
})

const startOrStopCommand = (action: 'start' | 'stop', summary: string, done: string): Command =>
  defineCommand({
    name: `service ${action}`,
    group: 'setup',
    summary,
    about: ['After a stop or a restart, uploads continue where they were.'],
    data: 'none',
    options: userOption,
    json: 'active.',
    exits: { 0: done },
    examples: [`sluice service ${action}`],
    run: (input) => {
      requireSystemd(input)
      const options = systemdFor(input.has('user'))
      if (action === 'start') startUnit(options)
      else stopUnit(options)
      if (input.json) printJson({ active: action === 'start' })
      else printLine(`The service is ${done}.`)
      return 0
    },
  })

export const serviceStartCommand = startOrStopCommand('start', 'start the service, or restart it', 'started')
export const serviceStopCommand = startOrStopCommand(
  'stop',
  'stop the service until someone starts it or the PC boots',
  'stopped',
)

export const serviceStatusCommand = defineCommand({
  name: 'service status',
  group: 'setup',
  summary: 'show whether the service is installed and which agent runs',
  about: ['“sluice status” shows the station itself.'],
  data: 'none',
  options: userOption,
  json: 'installed, enabled, active, agent (version, pid, account; null if no agent can be reached) and trouble.',
  exits: { 0: 'the service runs', 2: 'the service is not installed or does not run' },
  examples: ['sluice service status', 'sluice service status --user'],
  run: async (input) => {
    if (process.platform !== 'linux') throw new Error('This command works on Linux only.')
    const isUser = input.has('user')
    const state = unitState(systemdFor(isUser))
    const { agent, trouble } = await findAgent(dataFolderFor(isUser))
    if (input.json)
      printJson({
        ...state,
        agent: agent === null ? null : { version: agent.version, pid: agent.pid, account: agent.account },
        trouble,
      })
    else {
      printLine(
        state.installed
          ? `The service is installed, ${state.enabled ? 'starts at boot' : 'does not start at boot'}, and ${state.active ? 'runs' : 'does not run'}.`
          : 'There is no service.',
      )
      if (agent !== null) printLine(`Agent ${agent.version} runs as ${agent.account} (process ${agent.pid}).`)
      if (trouble !== null) printLine(trouble)
    }
    return state.active ? 0 : 2
  },
})

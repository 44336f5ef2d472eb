import path from 'node:path'
import { parseArgs } from 'node:util'
import { LAUNCHER_SWITCHES } from '../../../shared/ipc/launcher-switches.ts'
import { pathsOf } from '../../../shared/paths/paths.ts'
import { isTask, type Task, tasks } from '../tasks/task.ts'

export type Options = {
  readonly data: string | null
  /** A file of managed settings, used instead of the file at the system's usual path. */
  readonly managed: string | null
  /** A file with a key to move to the keychain. */
  readonly enrollKeyFile: string | null
  readonly hidden: boolean
  /** A task for the running instance, or for this instance once it runs. */
  readonly task: Task | null
  readonly help: boolean
}

/** Switches for Chromium and Electron that a launcher, a debugger or a test driver may pass. */
const CHROMIUM_SWITCH =
  /^--(no-sandbox|disable-|enable-|ozone-|password-store|remote-debugging-|inspect|force-|lang|user-data-dir|js-flags|use-|in-process-gpu|no-zygote)/

/**
 * Of these switches, a package accepts only those for appearance. The others could open the app to other programs,
 * remove its protections, or move its data or key (`--password-store`, `--use-mock-keychain`).
 */
const ALLOWED_IN_PACKAGE = /^--(ozone-platform|ozone-platform-hint|lang|force-device-scale-factor)(=|$)/

export const usage = `Usage: sluice [--data FOLDER] [--managed FILE] [--hidden] [--task ${tasks.join('|')}]
       sluice --enroll-key-file FILE [--data FOLDER] [--managed FILE]
  --data FOLDER  keep journal, settings and logs in FOLDER
  --managed FILE take the administrator's settings from FILE
  --hidden       start in the background, without opening the window
  --task TASK    pass TASK to the running Sluice; start Sluice first if necessary
  --enroll-key-file FILE
                 move the API key in FILE to this user's keychain, remove FILE and exit
       sluice COMMAND
                 run a command without a window: see sluice help`

/**
 * A headless command and its arguments, or null if the user wants the window. Skips the launcher's switches. Without a
 * package, there are no commands here: a source tree has a separate program for them.
 */
export const commandIn = (argv: readonly string[], isPackaged: boolean): readonly string[] | null => {
  const at = argv.findIndex((argument) => !LAUNCHER_SWITCHES.includes(argument))
  const name = argv[at]
  return isPackaged && name !== undefined && !name.startsWith('-') ? argv.slice(at) : null
}

/**
 * The arguments for the app itself. If Electron runs a source tree, `argv` also contains the tree's path. A test driver
 * or a debugger may put its switches before that path.
 */
export const ownArguments = (argv: readonly string[], appPath: string | null): readonly string[] => {
  const { same } = pathsOf(process.platform)
  const rest = argv.slice(1)
  const at =
    appPath === null ? -1 : rest.findIndex((argument) => same(path.resolve(argument), path.resolve(appPath)))
  return at === -1 ? rest : rest.toSpliced(at, 1)
}

const taskOf = (text: string | undefined): Task | null => {
  if (text === undefined) return null
  if (!isTask(text)) throw new Error(`Unknown task '${text}'`)
  return text
}

/** Throws an Error whose message is a text for the terminal. */
export const parseCommandLine = (argv: readonly string[], isPackaged: boolean): Options => {
  const refusedSwitch = isPackaged
    ? argv.find((argument) => CHROMIUM_SWITCH.test(argument) && !ALLOWED_IN_PACKAGE.test(argument))
    : undefined
  if (refusedSwitch !== undefined)
    throw new Error(`${refusedSwitch.split('=')[0]} is not accepted by the installed Sluice.`)
  const appArguments = argv.filter((argument) => !CHROMIUM_SWITCH.test(argument))
  try {
    const { values } = parseArgs({
      args: appArguments,
      options: {
        data: { type: 'string' },
        managed: { type: 'string' },
        'enroll-key-file': { type: 'string' },
        hidden: { type: 'boolean' },
        task: { type: 'string' },
        help: { type: 'boolean' },
      },
    })
    return {
      data: values.data ?? null,
      managed: values.managed ?? null,
      enrollKeyFile: values['enroll-key-file'] ?? null,
      hidden: values.hidden ?? false,
      task: taskOf(values.task),
      help: values.help ?? false,
    }
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split('. ')[0] ?? error.message) : String(error)
    throw new Error(`${reason}. Run with --help to see the options.`)
  }
}

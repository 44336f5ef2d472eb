import path from 'node:path'
import { parseArgs } from 'node:util'
import { pathsOf } from '../../../shared/paths/paths.ts'

export type Options = { readonly data: string | null; readonly hidden: boolean; readonly help: boolean }

/** Chromium's and Electron's own switches that the launcher, a debugger or a test driver may pass along. */
const PASSED_ON =
  /^--(no-sandbox|disable-|enable-|ozone-|password-store|remote-debugging-|inspect|force-|lang|user-data-dir|js-flags|use-|in-process-gpu|no-zygote)/

/** Those that open the app to others, take its protections away or move its data; a package needs none of them. */
const NOT_PACKAGED =
  /^--(no-sandbox|disable-|enable-|remote-debugging-|inspect|user-data-dir|js-flags|in-process-gpu|no-zygote)/

export const usage = `Usage: sluice [--data FOLDER] [--hidden]
  --data FOLDER  keep journal, settings and logs in FOLDER
  --hidden       start in the tray without opening the window`

/**
 * What was meant for the app itself. Electron that runs a source tree finds the tree's path among its arguments,
 * not always first: a test driver or a debugger puts its switches before it.
 */
export const ownArguments = (argv: readonly string[], appPath: string | null): readonly string[] => {
  const { same } = pathsOf(process.platform)
  const rest = argv.slice(1)
  const at =
    appPath === null ? -1 : rest.findIndex((argument) => same(path.resolve(argument), path.resolve(appPath)))
  return at === -1 ? rest : rest.toSpliced(at, 1)
}

/** Throws an Error whose message is one sentence for the terminal. */
export const parseCommandLine = (argv: readonly string[], isPackaged: boolean): Options => {
  const refused = isPackaged ? argv.find((argument) => NOT_PACKAGED.test(argument)) : undefined
  if (refused !== undefined)
    throw new Error(`${refused.split('=')[0]} is not accepted by the installed Sluice.`)
  const own = argv.filter((argument) => !PASSED_ON.test(argument))
  try {
    const { values } = parseArgs({
      args: own,
      options: { data: { type: 'string' }, hidden: { type: 'boolean' }, help: { type: 'boolean' } },
    })
    return { data: values.data ?? null, hidden: values.hidden ?? false, help: values.help ?? false }
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split('. ')[0] ?? error.message) : String(error)
    throw new Error(`${reason}. Run with --help to see the options.`)
  }
}

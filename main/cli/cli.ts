import '../agent/platform/process/memory-and-threads.ts'
import '../agent/platform/process/process-defaults.ts'
import { setLocale } from '../../shared/words/format.ts'
import { localeFromEnvironment } from '../../shared/words/locale-format.ts'
import { acceptClosedOutput } from './closed-output.ts'
import { launchCommand } from './launch-command.ts'
import { commands } from './program/commands.ts'
import { runProgram } from './program/run-program.ts'

// Windows has no locale variables, so use the region that Node reports.
setLocale(
  localeFromEnvironment(
    process.platform === 'win32' ? {} : process.env,
    () => new Intl.DateTimeFormat().resolvedOptions().locale,
  ),
)

acceptClosedOutput()

/** Entry point of the `sluice` program. In the package, `main/index.ts` loads this file to run a command. */
process.exitCode = await runProgram(process.argv.slice(2), { commands, launchCommand: launchCommand() })

import { runProgram } from './cli/program.ts'

/**
 * Entry point of the server. In the package, the command `sluice server` loads this file from
 * `main/shell/early-exit/run-command.ts`.
 */
process.exitCode = await runProgram(process.argv.slice(2))

import { runProgram } from './cli/program.ts'

/**
 * Entry point of the server. In the package, `main/shell/early-exit/run-command.ts` loads the bundle of this file for
 * the command `sluice server`.
 */
process.exitCode = await runProgram(process.argv.slice(2))

import { runProgram } from './cli/program.ts'

/** Entry point of the server. In the package, main/shell/early-exit/run-command.ts loads it for `sluice server`. */
process.exitCode = await runProgram(process.argv.slice(2))

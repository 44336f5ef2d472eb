import { runProgram } from './cli/program.ts'

/** Entry point of the server. In the package, main/index.ts loads this file for `sluice server`. */
process.exitCode = await runProgram(process.argv.slice(2))

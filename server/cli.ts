import { runProgram } from './cli/program.ts'

/** Entry of the server, from source or from the package, where main/index.ts loads this file for `sluice server`. */
process.exitCode = await runProgram(process.argv.slice(2))

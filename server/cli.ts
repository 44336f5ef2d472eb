import { runProgram } from './cli/program.ts'

/**
 * Entry point of the server. In a package, the command `sluice server` loads the bundle of this file.
 */
process.exitCode = await runProgram(process.argv.slice(2))

import './small-heap.ts'
import './own-process.ts'
import { ownProgram } from './own-program.ts'
import { commands } from './program/commands.ts'
import { runProgram } from './program/run-program.ts'

/** The program `sluice`: from source, and from the package, where main/index.ts hands a command over. */
process.exitCode = await runProgram(process.argv.slice(2), { commands, again: ownProgram() })

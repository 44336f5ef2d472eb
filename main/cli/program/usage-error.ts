import { showLine } from '../../../shared/words/escape-text.ts'

/** An error in the arguments. Its message is one line for the terminal, with control characters escaped. */
export class UsageError extends Error {
  constructor(sentence: string, command: string | null = null) {
    const help = command === null ? 'sluice help' : `sluice help ${command}`
    super(`${showLine(sentence)} Type “${help}” to see the usage.`)
  }
}

import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { toolScript } from './project.mjs'

/** An expected failure. The terminal shows its message without a stack trace. */
export class ExpectedFailure extends Error {}

/** Launchers log to stderr: stdout belongs to the program that they start. */
export const log = (/** @type {string} */ sentence) => void process.stderr.write(`sluice: ${sentence}\n`)

const loggedSentences = new Set()

/** Logs a sentence once, even if several steps of a command find the same problem. */
export const logOnce = (/** @type {string} */ sentence) => {
  if (loggedSentences.has(sentence)) return
  loggedSentences.add(sentence)
  log(sentence)
}

/**
 * Runs `main` and exits with the code that it returns.
 *
 * @param {() => number | Promise<number>} main
 */
export const exitWith = async (main) => {
  try {
    // npm writes this file last, so it exists only after a complete install.
    if (!existsSync(toolScript('.package-lock.json')))
      throw new ExpectedFailure('the packages are not installed; run: npm ci')
    process.exitCode = await main()
  } catch (error) {
    if (!(error instanceof ExpectedFailure)) throw error
    log(error.message)
    process.exitCode = 1
  }
}

/**
 * Like `exitWith`, for a script with options of its own. Refuses unknown options.
 *
 * @param {{ usage: string, options?: import('node:util').ParseArgsOptionsConfig, allowPositionals?: boolean }} description
 * @param {(values: Record<string, any>, positionals: string[]) => number | Promise<number>} main
 */
export const command = ({ usage, options, allowPositionals = false }, main) =>
  exitWith(() => {
    const allOptions = { ...options, help: /** @type {const} */ ({ type: 'boolean' }) }
    const { values, positionals } = readArguments(allOptions, allowPositionals, usage)
    if (!values.help) return main(values, positionals)
    process.stdout.write(`Usage: ${usage}\n`)
    return 0
  })

/**
 * @param {import('node:util').ParseArgsOptionsConfig} options
 * @param {boolean} allowPositionals
 * @param {string} usage
 * @returns {{ values: Record<string, any>, positionals: string[] }}
 */
const readArguments = (options, allowPositionals, usage) => {
  try {
    return parseArgs({ options, allowPositionals, strict: true })
  } catch (error) {
    // Show only the first sentence of Node's message. The others advise on positional arguments.
    const mistake = /** @type {Error} */ (error).message.split('. ')[0]?.replace(/\.$/, '')
    throw new ExpectedFailure(`${mistake}. Usage: ${usage}`)
  }
}

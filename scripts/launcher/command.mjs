import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { toolScript } from './project.mjs'

/** An expected failure: its message is one sentence for the terminal, shown without a stack trace. */
export class Refusal extends Error {}

/** Everything a launcher says goes to stderr: stdout belongs to the program it starts. */
export const say = (/** @type {string} */ sentence) => void process.stderr.write(`sluice: ${sentence}\n`)

const said = new Set()

/** For what several steps of one command find out again. */
export const sayOnce = (/** @type {string} */ sentence) => {
  if (said.has(sentence)) return
  said.add(sentence)
  say(sentence)
}

/**
 * Runs `main` and sets the exit code it returns.
 *
 * @param {() => number | Promise<number>} main
 */
export const exitWith = async (main) => {
  try {
    // npm writes this last; without it the first import of a package would end in a stack trace.
    if (!existsSync(toolScript('.package-lock.json')))
      throw new Refusal('the packages are not installed; type: npm ci')
    process.exitCode = await main()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    say(error.message)
    process.exitCode = 1
  }
}

/**
 * As `exitWith`, for a script that reads its command line itself: strictly.
 *
 * @param {{ usage: string, options?: import('node:util').ParseArgsOptionsConfig, allowPositionals?: boolean }} description
 * @param {(values: Record<string, any>, positionals: string[]) => number | Promise<number>} main
 */
export const command = ({ usage, options, allowPositionals = false }, main) =>
  exitWith(() => {
    const all = { ...options, help: /** @type {const} */ ({ type: 'boolean' }) }
    const { values, positionals } = readArguments(all, allowPositionals, usage)
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
    // Node's message goes on with advice on how to pass odd positionals; the first sentence is the fact.
    const fact = /** @type {Error} */ (error).message.split('. ')[0]?.replace(/\.$/, '')
    throw new Refusal(`${fact}. Usage: ${usage}`)
  }
}

import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { ExpectedFailure } from '../launcher/command.mjs'

const run = promisify(execFile)

/**
 * Runs a program. If it fails, the error contains the program's own message.
 *
 * @param {string} program
 * @param {string[]} args
 * @returns {Promise<string>} the standard output
 */
export const runTool = (program, ...args) => runToolWith({}, program, ...args)

/**
 * Like `runTool`, with a working folder or an environment.
 *
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv }} options
 * @param {string} program
 * @param {string[]} args
 * @returns {Promise<string>} the standard output
 */
export const runToolWith = async (options, program, ...args) => {
  try {
    return (await run(program, args, { ...options, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })).stdout
  } catch (error) {
    const { stderr = '', message } = /** @type {{ stderr?: string, message: string }} */ (error)
    throw new ExpectedFailure(`${path.basename(program)} failed: ${stderr.trim() || message}`)
  }
}

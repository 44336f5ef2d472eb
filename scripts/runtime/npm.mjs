import { capture } from '../launcher/child.mjs'

/**
 * Uses the npm that runs this script, otherwise the npm on the PATH.
 *
 * @param {readonly string[]} args
 * @param {{ cwd: string, env?: NodeJS.ProcessEnv }} options
 */
export const captureNpm = (args, options) => {
  const npm = process.env.npm_execpath
  return npm?.endsWith('.js')
    ? capture(process.execPath, [npm, ...args], options)
    : capture('npm', args, options)
}

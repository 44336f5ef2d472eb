import { capture } from '../launcher/child.mjs'

/**
 * Runs npm and captures its output. Uses the npm that started this script, otherwise the npm on the PATH.
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

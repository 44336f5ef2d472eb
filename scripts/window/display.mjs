import { spawn } from 'node:child_process'
import { ExpectedFailure } from '../launcher/command.mjs'

const START_LIMIT_MS = 20_000

/**
 * @typedef {object} Display
 * @property {NodeJS.ProcessEnv} env variables to add to the environment of a program that opens windows
 * @property {boolean} isVirtual true if no person can see the display
 * @property {() => void} stop
 */

/** @param {NodeJS.ProcessEnv} env */
export const hasDisplay = (env) => process.platform !== 'linux' || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY)

/**
 * Uses the existing display, or starts a virtual one. Xvfb itself chooses a display number, because another run could
 * take a number that this script chose.
 *
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<Display>}
 */
export const openDisplay = async (env) => {
  if (hasDisplay(env)) return { env: {}, isVirtual: false, stop: () => {} }
  const server = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', '1600x1000x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    env,
  })
  const stop = () => void server.kill('SIGTERM')
  // Stops Xvfb even if an error ends this process.
  process.once('exit', stop)
  const number = await displayNumber(server).finally(() => server.unref())
  return {
    env: { DISPLAY: `:${number}` },
    isVirtual: true,
    stop: () => {
      process.off('exit', stop)
      stop()
    },
  }
}

/** @param {import('node:child_process').ChildProcess} server @returns {Promise<string>} */
const displayNumber = (server) =>
  new Promise((resolve, reject) => {
    const pipe = /** @type {import('node:stream').Readable} */ (server.stdio[3])
    const fail = () => {
      // Without these calls, the timer, the pipe and Xvfb would keep the command running.
      clearTimeout(timer)
      pipe.destroy()
      server.kill('SIGTERM')
      reject(new ExpectedFailure('the virtual display (Xvfb) did not start; set DISPLAY to a running one.'))
    }
    const timer = setTimeout(fail, START_LIMIT_MS)
    let text = ''
    pipe.setEncoding('utf8').on('data', (chunk) => {
      text += chunk
      if (!text.includes('\n')) return
      clearTimeout(timer)
      pipe.destroy()
      resolve(text.trim())
    })
    server.once('error', fail)
    server.once('exit', fail)
  })

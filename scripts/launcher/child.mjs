import { spawn } from 'node:child_process'
import os from 'node:os'
import { ExpectedFailure } from './command.mjs'

/** @typedef {import('node:child_process').ChildProcess} ChildProcess */

/**
 * Runs a program as if it replaced this process: with the same terminal, signals and exit code.
 *
 * @param {string} file
 * @param {readonly string[]} args
 * @param {{ env?: NodeJS.ProcessEnv, cwd?: string }} [options]
 * @returns {Promise<number>}
 */
export const runInPlace = (file, args, options = {}) =>
  exitCodeOf(spawn(file, args, { stdio: 'inherit', ...options }), file)

const WINDOWS = process.platform === 'win32'

/** SIGBREAK is Ctrl-Break on Windows. @type {readonly NodeJS.Signals[]} */
export const END_SIGNALS = [
  'SIGTERM',
  'SIGHUP',
  'SIGINT',
  ...(WINDOWS ? /** @type {const} */ (['SIGBREAK']) : []),
]

/**
 * Returns false if the terminal itself sends the signal to the child, because a second SIGINT could end the child at
 * once. On Windows, a forwarded signal would kill the child.
 *
 * @param {NodeJS.Signals} signal
 * @param {{ isInTerminal: boolean, isWindows: boolean }} where
 */
export const shouldForward = (signal, { isInTerminal, isWindows }) =>
  !isInTerminal || (signal !== 'SIGINT' && !isWindows)

/**
 * Forwards signals to the child and waits for its exit code. If a signal ended the child, the exit code is 128 plus the
 * number of the signal, as in a shell.
 *
 * @param {ChildProcess} child
 * @param {string} file
 * @returns {Promise<number>}
 */
export const exitCodeOf = (child, file) =>
  new Promise((resolve, reject) => {
    const forward = (/** @type {NodeJS.Signals} */ signal) => {
      // On Windows, Node can send neither SIGHUP nor SIGBREAK.
      if (shouldForward(signal, { isInTerminal: process.stdin.isTTY, isWindows: WINDOWS }))
        child.kill(WINDOWS ? 'SIGTERM' : signal)
    }
    const release = () => {
      for (const signal of END_SIGNALS) process.off(signal, forward)
    }
    for (const signal of END_SIGNALS) process.on(signal, forward)
    child.once('error', (error) => {
      release()
      reject(
        new ExpectedFailure(
          `cannot run ${file} (${/** @type {NodeJS.ErrnoException} */ (error).code ?? error.message}).`,
        ),
      )
    })
    child.once('exit', (code, signal) => {
      release()
      resolve(code ?? 128 + (signal === null ? 0 : os.constants.signals[signal]))
    })
  })

/**
 * Runs a program to its end and captures its output.
 *
 * @param {string} file
 * @param {readonly string[]} args
 * @param {{ env?: NodeJS.ProcessEnv, cwd?: string, timeoutMs?: number }} [options]
 * @returns {Promise<{ code: number | null, stdout: string, output: string }>} code is null if the program
 *   could not start or a signal ended it
 */
export const capture = (file, args, { timeoutMs, ...options } = {}) =>
  new Promise((resolve) => {
    const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options })
    let stdout = ''
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (text) => {
      stdout += text
      output += text
    })
    child.stderr.setEncoding('utf8').on('data', (text) => {
      output += text
    })
    const timer = timeoutMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), timeoutMs)
    const settle = (/** @type {number | null} */ code) => {
      clearTimeout(timer)
      resolve({ code, stdout, output })
    }
    child.once('error', () => settle(null))
    child.once('close', settle)
  })

/**
 * Returns the full path of a Windows system program. With a bare name, Windows would search the current folder first,
 * where other users may write.
 *
 * @param {string} name
 */
export const systemProgram = (name) =>
  process.platform === 'win32' ? `${process.env.SystemRoot ?? 'C:\\Windows'}\\System32\\${name}.exe` : name

/**
 * Starts a program in its own process group, so that `stopTree` also stops the program's children.
 *
 * @param {string} file
 * @param {readonly string[]} args
 * @param {import('node:child_process').SpawnOptions} options
 */
export const startTree = (file, args, options) =>
  spawn(file, args, { ...options, detached: process.platform !== 'win32' })

/** Stops a program that `startTree` started, and the program's children. */
export const stopTree = (/** @type {ChildProcess} */ { pid }) => {
  if (pid === undefined) return
  if (process.platform === 'win32') {
    spawn(systemProgram('taskkill'), ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore' })
    return
  }
  try {
    process.kill(-pid, 'SIGTERM')
  } catch {
    // The program has already ended.
  }
}

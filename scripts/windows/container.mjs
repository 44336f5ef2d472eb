import { spawn } from 'node:child_process'
import path from 'node:path'
import { exitCodeOf } from '../launcher/child.mjs'
import { NAMESPACE_OPTIONS } from '../launcher/own-namespace.mjs'
import { ROOT } from '../launcher/project.mjs'

const INIT = path.join(ROOT, 'scripts/windows/container-init.mjs')

/**
 * @typedef {object} Container
 * @property {string} debian the folder that becomes `/`, read-only
 * @property {readonly import('./mounts.mjs').Mount[]} mounts
 * @property {readonly string[]} command
 * @property {string} cwd
 * @property {Readonly<Record<string, string>>} env the complete environment
 */

/** @type {readonly NodeJS.Signals[]} */
const END_SIGNALS = ['SIGTERM', 'SIGHUP', 'SIGINT']

/**
 * Runs a command in a container and returns its exit code. The container ends when its stdin closes, as it does if this
 * process is killed. After a signal, this process closes that stdin itself, because `unshare` ignores signals.
 *
 * @param {Container} container
 */
export const runInContainer = async (container) => {
  const child = spawn('unshare', [...NAMESPACE_OPTIONS, process.execPath, INIT, JSON.stringify(container)], {
    stdio: ['pipe', 'inherit', 'inherit'],
  })
  const closeInput = () => child.stdin.end()
  for (const signal of END_SIGNALS) process.on(signal, closeInput)
  try {
    return await exitCodeOf(child, 'unshare')
  } finally {
    for (const signal of END_SIGNALS) process.off(signal, closeInput)
  }
}

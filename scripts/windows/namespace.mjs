import { spawn } from 'node:child_process'
import path from 'node:path'
import { exitCodeOf } from '../launcher/child.mjs'
import { ROOT } from '../launcher/project.mjs'

/**
 * Mounts and processes of its own. However it ends, all that was mounted and started in it goes with it: nothing has
 * to be cleaned up, so nothing can be left by a kill.
 */
export const IN_OWN_NAMESPACE = ['--mount', '--pid', '--fork', '--kill-child', '--mount-proc', '--']

const ENTER = path.join(ROOT, 'scripts/windows/enter.mjs')

/**
 * @typedef {object} Room
 * @property {string} debian the folder that becomes `/`, for reading only
 * @property {readonly import('./mounts.mjs').Mount[]} mounts
 * @property {readonly string[]} command
 * @property {string} cwd
 * @property {Readonly<Record<string, string>>} env all of it
 */

/** @type {readonly NodeJS.Signals[]} */
const ENDING = ['SIGTERM', 'SIGHUP', 'SIGINT']

/**
 * Runs a command in a room of its own; gives its exit code. The pipe tells the room that this process is gone, also
 * when it was killed without a word. A signal is told the same way: `unshare` itself does not listen to any.
 *
 * @param {Room} room
 */
export const runInRoom = async (room) => {
  const child = spawn('unshare', [...IN_OWN_NAMESPACE, process.execPath, ENTER, JSON.stringify(room)], {
    stdio: ['pipe', 'inherit', 'inherit'],
  })
  const leave = () => child.stdin.end()
  for (const signal of ENDING) process.on(signal, leave)
  try {
    return await exitCodeOf(child, 'unshare')
  } finally {
    for (const signal of ENDING) process.off(signal, leave)
  }
}

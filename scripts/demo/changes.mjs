import { createInterface } from 'node:readline'

/**
 * One line of the agent's `run --json`.
 *
 * @typedef {object} Change
 * @property {string} at
 * @property {string} path
 * @property {string} state
 * @property {import('../../shared/status/standing.ts').Standing} standing
 * @property {string | null} session_id
 * @property {number} bytes
 * @property {number} bytes_sent
 * @property {{ sentence: string, next?: string } | null} problem
 */
/** @typedef {import('node:child_process').ChildProcess & { stdout: import('node:stream').Readable }} Agent */

const END_STATES = new Set(['processed', 'failed', 'gone'])

export const hasEnded = (/** @type {string | undefined} */ state) => END_STATES.has(state ?? '')

/**
 * @param {Agent} agent
 * @param {(change: Change) => void} listener
 */
export const onChanges = (agent, listener) =>
  void createInterface({ input: agent.stdout }).on('line', (text) => listener(JSON.parse(text)))

import { hasEnded, onChanges } from './changes.mjs'

/**
 * @typedef {import('./changes.mjs').Change} Change
 * @typedef {{ name: string, bytes: number, session: string, standing: string, seconds: Record<string, number> }} TableLine
 */

/** The states whose time counts for each stage. */
const STAGES = {
  recorded: ['growing'],
  hashed: ['queued', 'hashing'],
  uploaded: ['ready', 'uploading', 'completing'],
  processed: ['processing'],
}

/**
 * Collects the agent's changes. `waitForEnd` waits until the work on all the given files has ended, or until the agent
 * exits.
 *
 * @param {import('./changes.mjs').Agent} agent
 */
export const followAgent = (agent) => {
  /** @type {Map<string, Change[]>} */
  const changes = new Map()
  let check = () => {}
  onChanges(agent, (change) => {
    changes.set(change.path, [...(changes.get(change.path) ?? []), change])
    check()
  })
  return {
    /**
     * @param {readonly string[]} files
     * @returns {Promise<TableLine[]>}
     */
    waitForEnd: (files) =>
      new Promise((resolve) => {
        const finish = () => resolve(files.map((file) => lineOf(file, changes.get(file) ?? [])))
        check = () => {
          if (files.every((file) => hasEnded(changes.get(file)?.at(-1)?.state))) finish()
        }
        agent.once('exit', finish)
        check()
      }),
  }
}

/**
 * @param {string} file
 * @param {readonly Change[]} changes
 * @returns {TableLine}
 */
const lineOf = (file, changes) => {
  const seconds = Object.fromEntries(
    Object.entries(STAGES).map(([stage, states]) => {
      const secondsInStage = changes.map((change, index) => {
        const next = changes[index + 1]
        if (!states.includes(change.state) || next === undefined) return 0
        return (Date.parse(next.at) - Date.parse(change.at)) / 1000
      })
      return [stage, secondsInStage.reduce((sum, value) => sum + value, 0)]
    }),
  )
  const last = changes.at(-1)
  return {
    name: file.split(/[\\/]/).at(-1) ?? file,
    bytes: last?.bytes ?? 0,
    session: last?.session_id ?? '-',
    standing: last?.standing ?? 'not found',
    seconds,
  }
}

/**
 * Formats the recordings as a table.
 *
 * @param {readonly TableLine[]} lines
 * @param {Readonly<Record<string, string>>} words the word for each standing
 */
export const formatTable = (lines, words) => {
  const stages = Object.keys(STAGES)
  const rows = lines.map((line) => [
    line.name,
    String(line.bytes),
    line.session,
    words[line.standing] ?? line.standing,
    ...stages.map((stage) => (line.seconds[stage] ?? 0).toFixed(1)),
  ])
  const heads = ['file', 'bytes', 'session', 'state', 'rec', 'hash', 'up', 'proc']
  const widths = heads.map((head, column) =>
    Math.max(head.length, ...rows.map((row) => row[column]?.length ?? 0)),
  )
  const numeric = [1, 4, 5, 6, 7]
  const print = (/** @type {readonly string[]} */ row) =>
    row
      .map((cell, column) =>
        numeric.includes(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
      )
      .join(' ')
      .trimEnd()
  return `Last columns: seconds per stage.\n\n${[heads, widths.map((width) => '-'.repeat(width)), ...rows].map(print).join('\n')}\n`
}

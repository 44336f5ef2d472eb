import { statSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { exitCodeOf } from '../launcher/child.mjs'
import { onChanges } from './changes.mjs'
import { readLanguage } from './language.mjs'
import { openScreen, terminalCapabilities } from './screen.mjs'
import { createLineFormatter, formatFrame } from './story.mjs'

const REDRAW_MS = 200

/**
 * Prints the agent's progress until the agent ends: in place on a terminal, otherwise line by line.
 *
 * @param {import('./changes.mjs').Agent & { stderr: import('node:stream').Readable }} agent
 * @returns {Promise<number>} the agent's exit code
 */
export const printProgress = async (agent) => {
  const exitCode = exitCodeOf(agent, 'the agent')
  const language = await readLanguage()
  if (process.stdout.isTTY) return printInPlace(agent, language, exitCode)
  const formatLine = createLineFormatter(language)
  onChanges(agent, (change) => {
    const line = formatLine(change)
    if (line !== null) process.stdout.write(`${line}\n`)
  })
  agent.stderr.pipe(process.stderr)
  return exitCode
}

/**
 * @param {import('./changes.mjs').Agent & { stderr: import('node:stream').Readable }} agent
 * @param {import('./language.mjs').Language} language
 * @param {Promise<number>} exitCode
 */
const printInPlace = async (agent, language, exitCode) => {
  const screen = openScreen(process.stdout)
  /** @type {Map<string, import('./changes.mjs').Change>} */
  const recordings = new Map()
  const draw = () => {
    const current = [...recordings.values()].map(withCurrentSize)
    screen.draw(formatFrame(current, language, terminalCapabilities(process.stdout, process.env)))
  }
  onChanges(agent, (change) => void recordings.set(change.path, change))
  createInterface({ input: agent.stderr }).on('line', (line) => {
    screen.note(line)
    draw()
  })
  const timer = setInterval(draw, REDRAW_MS)
  draw()
  try {
    const code = await exitCode
    draw()
    return code
  } finally {
    clearInterval(timer)
    screen.close()
  }
}

/** Reads the current size of a growing file, because the agent reports it too rarely. */
const withCurrentSize = (/** @type {import('./changes.mjs').Change} */ change) =>
  change.state === 'growing'
    ? { ...change, bytes: statSync(change.path, { throwIfNoEntry: false })?.size ?? change.bytes }
    : change

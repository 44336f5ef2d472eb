/**
 * Shows a block of lines at the end of a terminal and redraws it in place.
 *
 * @param {import('node:tty').WriteStream} terminal
 */
export const openScreen = (terminal) => {
  let height = 0
  const top = () => (height === 0 ? '' : `\x1b[${height}A`)
  const block = (/** @type {readonly string[]} */ lines) => lines.map((line) => `${line}\x1b[K\n`).join('')
  terminal.write('\x1b[?25l')
  const showCursor = () => void terminal.write('\x1b[?25h')
  // Without this listener, the cursor would stay hidden after an error.
  process.once('exit', showCursor)
  return {
    draw: (/** @type {readonly string[]} */ lines) => {
      terminal.write(`${top()}\r${block(lines)}\x1b[J`)
      height = lines.length
    },
    /** Prints a line above the block. */
    note: (/** @type {string} */ line) => {
      terminal.write(`${top()}\r\x1b[J${line}\n`)
      height = 0
    },
    close: () => {
      process.off('exit', showCursor)
      showCursor()
    },
  }
}

const COLOUR_CODES = { good: 32, busy: 36, quiet: 2, warn: 33, bad: 31 }

/** @type {import('./story.mjs').Paint} */
const inColour = (tone, text) => `\x1b[${COLOUR_CODES[tone]}m${text}\x1b[0m`

/**
 * @param {import('node:tty').WriteStream} terminal
 * @param {NodeJS.ProcessEnv} env
 * @returns {import('./story.mjs').TerminalCapabilities}
 */
export const terminalCapabilities = ({ columns, rows }, env) => ({
  columns: columns || 80,
  rows: rows || 24,
  cells: /utf-?8/i.test(env.LC_ALL || env.LC_CTYPE || env.LANG || '') ? ['█', '░'] : ['#', '.'],
  paint: env.NO_COLOR ? (_, text) => text : inColour,
})

/**
 * Formats the recordings as text for a terminal, with the same words and numbers as the window of Sluice.
 *
 * @typedef {import('./changes.mjs').Change} Change
 * @typedef {import('./language.mjs').Language} Language
 * @typedef {{ columns: number, rows: number, cells: readonly [string, string], paint: Paint }} TerminalCapabilities
 * @typedef {(tone: import('../../shared/words/words.ts').Tone, text: string) => string} Paint
 */

const MAX_BAR_WIDTH = 20
/**
 * The width of two spaces and "Uploading 99 %". In a narrow terminal, the bar gets shorter to leave this space.
 */
const STATE_WIDTH = 16
const MAX_ROWS = 12
/** The width of "Needs attention", the longest word for a standing in the demo. */
const WORD_WIDTH = 15
/**
 * The number of lines besides the rows of the recordings: demo sentence, headline, blank line, number of earlier
 * recordings, advice, blank line, hint, and the line of the cursor.
 */
const OTHER_ROWS = 8

const nameOf = (/** @type {Change} */ { path }) => path.split(/[\\/]/).at(-1) ?? path

const percentOf = (/** @type {Change} */ { bytes, bytes_sent }) =>
  bytes === 0 ? 0 : Math.floor((100 * bytes_sent) / bytes)

const SENT_STATES = new Set(['completing', 'processing', 'processed', 'failed'])
const barPercentOf = (/** @type {Change} */ change) =>
  SENT_STATES.has(change.state) ? 100 : percentOf(change)

/**
 * Returns all lines of the demo's screen. Only the newest recordings have a line of their own.
 *
 * @param {readonly Change[]} recordings in the order they were found
 * @param {Language} language
 * @param {TerminalCapabilities} terminal
 */
export const formatFrame = (recordings, language, terminal) => {
  const width = Math.min(80, terminal.columns) - 1
  const rows = Math.max(1, Math.min(MAX_ROWS, terminal.rows - OTHER_ROWS))
  const newest = recordings.slice(-rows)
  const earlierCount = recordings.length - newest.length
  const earlier = `  and ${language.plural(earlierCount, 'earlier recording')}`
  return [
    terminal.paint('busy', language.demoSentence.slice(0, width)),
    formatHeadline(recordings, language).slice(0, width),
    '',
    ...(earlierCount === 0 ? [] : [terminal.paint('quiet', earlier)]),
    ...newest.map((change) => formatRow(change, language, terminal, width)),
    ...adviceLines(recordings).map((line) => terminal.paint('warn', line.slice(0, width))),
    '',
    terminal.paint('quiet', 'Ctrl-C ends the demo and removes its files.'.slice(0, width)),
  ]
}

/** The advice for the newest recording that needs attention. @param {readonly Change[]} recordings */
const adviceLines = (recordings) => {
  const change = recordings.findLast(({ standing }) => standing === 'needs-attention')
  return change?.problem?.next ? [`  ${nameOf(change)}: ${change.problem.next}`] : []
}

/** @param {readonly Change[]} recordings @param {Language} language */
const formatHeadline = (recordings, { safeSentence, plural, safeFacts, standings }) => {
  if (recordings.length === 0) return 'The recorder is starting.'
  const count = (/** @type {string} */ standing) =>
    recordings.filter((recording) => recording.standing === standing).length
  const counts = /** @type {import('../../shared/status/status.ts').Status['standings']} */ (
    Object.fromEntries(standings.map((standing) => [standing, count(standing)]))
  )
  if (counts.safe === recordings.length) return safeSentence(counts.safe, counts.safe)
  const attentionCount = counts['needs-attention']
  const attention =
    attentionCount === 0 ? '' : `${plural(attentionCount, 'recording needs', 'recordings need')} attention · `
  return `${attention}${safeFacts(counts).join(' · ')}`
}

/** @param {Change} change @param {Language} language @param {TerminalCapabilities} terminal @param {number} width */
const formatRow = (change, { standingWords, formatBytes }, { cells, paint }, width) => {
  const facts = `  ${nameOf(change).padEnd(13)} ${formatBytes(change.bytes).padStart(8)}  `
  const state =
    change.problem?.sentence ??
    `${standingWords[change.standing].word}${change.standing === 'uploading' ? ` ${percentOf(change)} %` : ''}`
  const length = Math.max(0, Math.min(MAX_BAR_WIDTH, width - facts.length - STATE_WIDTH))
  const filled = Math.round((barPercentOf(change) * length) / 100)
  const bar = cells[0].repeat(filled) + cells[1].repeat(length - filled)
  // Cut the text before it is coloured, because escape codes would count as visible characters.
  const line = `${bar}  ${state}`.slice(0, Math.max(0, width - facts.length))
  return facts.slice(0, width) + paint(standingWords[change.standing].tone, line)
}

/**
 * Formats the output for a file or a pipe: one line when the state changes, and one per quarter of an upload.
 *
 * @param {Language} language
 * @returns {(change: Change) => string | null}
 */
export const createLineFormatter = ({ standingWords, formatBytes }) => {
  /** @type {Map<string, string>} */
  const printed = new Map()
  return (change) => {
    const quarter = change.standing === 'uploading' ? Math.floor(percentOf(change) / 25) * 25 : null
    const state = JSON.stringify([change.standing, quarter, change.problem?.sentence])
    if (printed.get(change.path) === state) return null
    printed.set(change.path, state)
    const time = new Date(change.at).toTimeString().slice(0, 8)
    const facts = [
      quarter === null ? null : `${quarter} %`.padStart(5),
      change.standing === 'recording' ? null : formatBytes(change.bytes),
      change.problem?.sentence,
      change.standing === 'needs-attention' ? change.problem?.next : null,
    ]
    const word = standingWords[change.standing].word.padEnd(WORD_WIDTH)
    return [time, word, nameOf(change).padEnd(13), ...facts.filter((fact) => fact)].join('  ').trimEnd()
  }
}

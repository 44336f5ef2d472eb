/**
 * The recordings as text for a terminal, in the words and numbers of the window.
 *
 * @typedef {import('./changes.mjs').Change} Change
 * @typedef {import('./language.mjs').Language} Language
 * @typedef {{ columns: number, rows: number, cells: readonly [string, string], paint: Paint }} Looks
 * @typedef {(tone: import('../../shared/words/words.ts').Tone, text: string) => string} Paint
 */

const MAX_BAR_WIDTH = 20
/** The width of the longest word with its percentage. In a narrow terminal, the bar shrinks to make space for it. */
const STATE_WIDTH = 16
const MAX_ROWS = 12
/** The width of "Needs attention", the longest word in the demo. */
const WORD_WIDTH = 15
/**
 * The lines besides the recordings: demo, headline, advice, blank line, earlier recordings, blank line, hint, and the
 * cursor's line.
 */
const OTHER_ROWS = 8

const nameOf = (/** @type {Change} */ { path }) => path.split(/[\\/]/).at(-1) ?? path

const percentOf = (/** @type {Change} */ { bytes, bytes_sent }) =>
  bytes === 0 ? 0 : Math.floor((100 * bytes_sent) / bytes)

const SENT = new Set(['completing', 'processing', 'processed', 'failed'])
const shareOf = (/** @type {Change} */ change) => (SENT.has(change.state) ? 100 : percentOf(change))

/**
 * One line per recording, newest last, as a block that is redrawn in place.
 *
 * @param {readonly Change[]} recordings in the order they were found
 * @param {Language} language
 * @param {Looks} looks
 */
export const frame = (recordings, language, looks) => {
  const width = Math.min(80, looks.columns) - 1
  const rows = Math.max(1, Math.min(MAX_ROWS, looks.rows - OTHER_ROWS))
  const shown = recordings.slice(-rows)
  const before = recordings.length - shown.length
  return [
    looks.paint('busy', language.demoSentence.slice(0, width)),
    headline(recordings, language).slice(0, width),
    '',
    ...(before === 0 ? [] : [looks.paint('quiet', `  and ${language.plural(before, 'earlier recording')}`)]),
    ...shown.map((change) => row(change, language, looks, width)),
    ...advice(recordings).map((line) => looks.paint('warn', line.slice(0, width))),
    '',
    looks.paint('quiet', 'Ctrl-C ends the demo and removes its files.'.slice(0, width)),
  ]
}

/** The advice for the newest recording that needs attention. @param {readonly Change[]} recordings */
const advice = (recordings) => {
  const change = recordings.findLast(({ standing }) => standing === 'needs-attention')
  return change?.problem?.next ? [`  ${nameOf(change)}: ${change.problem.next}`] : []
}

/** @param {readonly Change[]} recordings @param {Language} language */
const headline = (recordings, { allSafe, plural, safeFacts, standings }) => {
  if (recordings.length === 0) return 'The recorder is starting.'
  const count = (/** @type {string} */ one) => recordings.filter(({ standing }) => standing === one).length
  const counts = /** @type {import('../../shared/status/status.ts').Status['standings']} */ (
    Object.fromEntries(standings.map((one) => [one, count(one)]))
  )
  if (counts.safe === recordings.length) return allSafe(counts.safe, counts.safe)
  const need = counts['needs-attention']
  const needs = need === 0 ? '' : `${plural(need, 'recording needs', 'recordings need')} attention · `
  return `${needs}${safeFacts(counts).join(' · ')}`
}

/** @param {Change} change @param {Language} language @param {Looks} looks @param {number} width */
const row = (change, { standingWords, formatBytes }, { cells, paint }, width) => {
  const facts = `  ${nameOf(change).padEnd(13)} ${formatBytes(change.bytes).padStart(8)}  `
  const state =
    change.problem?.sentence ??
    `${standingWords[change.standing].word}${change.standing === 'uploading' ? ` ${percentOf(change)} %` : ''}`
  const length = Math.max(0, Math.min(MAX_BAR_WIDTH, width - facts.length - STATE_WIDTH))
  const filled = Math.round((shareOf(change) * length) / 100)
  const bar = cells[0].repeat(filled) + cells[1].repeat(length - filled)
  // Cut the text before colouring it, because escape codes have no width.
  const line = `${bar}  ${state}`.slice(0, Math.max(0, width - facts.length))
  return facts.slice(0, width) + paint(standingWords[change.standing].tone, line)
}

/**
 * Output for a file or a pipe. It has one line per change of state and per quarter of an upload.
 *
 * @param {Language} language
 * @returns {(change: Change) => string | null}
 */
export const lineByLine = ({ standingWords, formatBytes }) => {
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

import { escapeText } from './escape-text.ts'

/** Rows for spreadsheets, whatever is in the texts. */

const ownEscape = /\\(?=u[0-9a-f]{4})/gi

/** Line breaks and what is not seen, as in JSON; a path of Windows stays as it is unless it looks like an escape. */
const escapeCell = (text: string): string => escapeText(text.replace(ownEscape, '\\u005c'))

/** What a spreadsheet would take for a formula, also behind blanks and in wide letters, and the mark itself. */
const formula = /^\s*[=+\-@'＝＋－＠]|^\s/

/**
 * Excel of many countries separates cells by semicolons and ignores quotes in the middle of such a cell, so a quoted
 * `;=` starts a formula there. The separator is escaped, which the reader of a receipt undoes.
 */
const formulaBehindSeparator = /[;,](?=[\s"']*[=+\-@＝＋－＠])/g

const keepTogether = (text: string): string =>
  text.replace(
    formulaBehindSeparator,
    (separator) => `\\u${separator.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

const harmless = (text: string): string => (formula.test(text) ? `'${text}` : text)

const quoted = (text: string): string => (/[",;\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

/** With a byte order mark at the beginning: without one Excel reads names in the letters of its own country. */
export const CSV_BEGIN = '\ufeff'

export const csvLine = (cells: readonly string[]): string =>
  `${cells.map((cell) => quoted(harmless(keepTogether(escapeCell(cell))))).join(',')}\r\n`

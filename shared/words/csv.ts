import { escapeText } from './escape-text.ts'

/** Rows for spreadsheets. Texts may contain anything: line breaks and invisible characters are escaped as in JSON. */

/** The start of a formula for a spreadsheet, also after spaces or in full-width form, and the apostrophe that marks text. */
const formula = /^\s*[=+\-@'＝＋－＠]|^\s/

/**
 * In many locales Excel separates cells by semicolons and ignores quotes inside such a cell, so a quoted `;=` starts a
 * formula. The separator is therefore escaped.
 */
const formulaBehindSeparator = /[;,](?=[\s"']*[=+\-@＝＋－＠])/g

const keepTogether = (text: string): string =>
  text.replace(
    formulaBehindSeparator,
    (separator) => `\\u${separator.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

const harmless = (text: string): string => (formula.test(text) ? `'${text}` : text)

const quoted = (text: string): string => (/[",;\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

/** The byte order mark. Without it Excel reads the file in the local code page. */
export const CSV_BEGIN = '\ufeff'

export const csvLine = (cells: readonly string[]): string =>
  `${cells.map((cell) => quoted(harmless(keepTogether(escapeText(cell))))).join(',')}\r\n`

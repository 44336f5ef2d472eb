import { escapeText } from './escape-text.ts'

/** Rows for spreadsheets. Line breaks and invisible characters in texts are escaped as in JSON. */

/** Matches the start of a formula, even after spaces or in full-width form, and a leading apostrophe or space. */
const formula = /^\s*[=+\-@'＝＋－＠]|^\s/

/**
 * In many locales Excel splits a line at semicolons, not commas. It then ignores our opening quote, and `;=` starts a
 * formula. So a separator before a formula is escaped.
 */
const separatorBeforeFormula = /[;,](?=[\s"']*[=+\-@＝＋－＠])/g

const escapeSeparator = (text: string): string =>
  text.replace(
    separatorBeforeFormula,
    (separator) => `\\u${separator.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

const escapeFormula = (text: string): string => (formula.test(text) ? `'${text}` : text)

const quote = (text: string): string => (/[",;\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

/** The byte order mark. Without it Excel reads the file in the local code page. */
export const CSV_BEGIN = '\ufeff'

export const csvLine = (cells: readonly string[]): string =>
  `${cells.map((cell) => quote(escapeFormula(escapeSeparator(escapeText(cell))))).join(',')}\r\n`

import path from 'node:path'
import { runnerImport } from 'vite'
import { ROOT } from '../launcher/project.mjs'

/**
 * The words and number formats of the window, for use in a terminal.
 *
 * @typedef {object} Language
 * @property {typeof import('../../shared/words/words.ts').standingWords} standingWords
 * @property {typeof import('../../shared/words/words.ts').safeFacts} safeFacts
 * @property {typeof import('../../shared/words/words.ts').safeSentence} safeSentence
 * @property {readonly import('../../shared/status/standing.ts').Standing[]} standings
 * @property {string} demoSentence
 * @property {(bytes: number) => string} formatBytes
 * @property {(count: number, one: string, many?: string) => string} plural
 */

/** @returns {Promise<Language>} */
export const readLanguage = async () => {
  const importShared = async (/** @type {string} */ file) =>
    (await runnerImport(path.join(ROOT, 'shared', file))).module
  const { standingWords, safeFacts, safeSentence } =
    /** @type {typeof import('../../shared/words/words.ts')} */ (await importShared('words/words.ts'))
  const { standings } = /** @type {typeof import('../../shared/status/standing.ts')} */ (
    await importShared('status/standing.ts')
  )
  const { formatBytes, plural } = /** @type {typeof import('../../shared/words/format.ts')} */ (
    await importShared('words/format.ts')
  )
  const { DEMO_SENTENCE: demoSentence } = /** @type {typeof import('../../shared/words/demo-words.ts')} */ (
    await importShared('words/demo-words.ts')
  )
  return { demoSentence, standingWords, safeFacts, safeSentence, standings, formatBytes, plural }
}

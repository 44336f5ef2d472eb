import path from 'node:path'
import log from 'electron-log/node'
import { cutText, cutWords, escapeText } from '../../../shared/escape-text.ts'
import { redact, redactJson } from '../../../shared/redact.ts'
import type { Log } from '../ports.ts'

const MOST_BYTES = 5 * 1024 * 1024
/** Whatever the service or a folder brings along: one entry is one line, and no line fills the file. */
const MOST_LINE_CHARS = 16_384

const clean = (text: string): string => redact(cutWords(text, MOST_LINE_CHARS))

/** The agent's own file, bounded: at most two files of 5 MB. */
export const createLog = (dataFolder: string): Log => {
  const logger = log.create({ logId: 'agent' })
  logger.transports.console.level = false
  // Without a name it searches for a package.json from the current folder, and without one writes nothing at all.
  logger.transports.file.setAppName('sluice')
  logger.transports.file.resolvePathFn = () => path.resolve(dataFolder, 'logs', 'agent.log')
  logger.transports.file.maxSize = MOST_BYTES
  logger.transports.file.writeOptions = { flag: 'a', mode: 0o600, encoding: 'utf8' }
  logger.transports.file.format = '{iso} {level} {text}'
  const line = (message: string, facts?: Readonly<Record<string, unknown>>) =>
    cutText(
      escapeText(facts === undefined ? clean(message) : `${clean(message)} ${redactJson(facts, clean)}`),
      MOST_LINE_CHARS,
    )
  return {
    info: (message, facts) => logger.info(line(message, facts)),
    warn: (message, facts) => logger.warn(line(message, facts)),
    error: (message, facts) => logger.error(line(message, facts)),
  }
}

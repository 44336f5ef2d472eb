import path from 'node:path'
// Not its `main`: that one listens to pages, which have nothing to write here.
import electronLog from 'electron-log/node'
import { cutText, cutWords, escapeText } from '../../../shared/escape-text.ts'
import { redact } from '../../../shared/redact.ts'

const MOST_BYTES = 2_000_000
const MOST_LINE_CHARS = 16_384

/** The main process's own log. It writes synchronously, so it says little; the agent has a log of its own. */
export const openLog = (folder: string): ((message: string) => void) => {
  const logger = electronLog.create({ logId: 'shell' })
  logger.transports.console.level = false
  logger.transports.file.resolvePathFn = () => path.join(folder, 'shell.log')
  logger.transports.file.maxSize = MOST_BYTES
  // Without a name it searches for a package.json from the current folder, and without one writes nothing at all.
  logger.transports.file.setAppName('sluice')
  logger.transports.file.writeOptions = { flag: 'a', mode: 0o600, encoding: 'utf8' }
  logger.transports.file.format = '{iso} {text}'
  return (message) =>
    logger.info(cutText(escapeText(redact(cutWords(message, MOST_LINE_CHARS))), MOST_LINE_CHARS))
}

import path from 'node:path'
import electronLog from 'electron-log/main.js'
import { redact } from '../../../shared/redact.ts'

const MOST_BYTES = 2_000_000

/** The main process's own log. It writes synchronously, so it says little; the agent has a log of its own. */
export const openLog = (folder: string): ((message: string) => void) => {
  const logger = electronLog.create({ logId: 'shell' })
  logger.transports.console.level = false
  logger.transports.file.resolvePathFn = () => path.join(folder, 'shell.log')
  logger.transports.file.maxSize = MOST_BYTES
  logger.transports.file.format = '{iso} {text}'
  return (message) => logger.info(redact(message))
}

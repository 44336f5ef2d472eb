import path from 'node:path'
import log from 'electron-log/node'
import { redact } from '../../../shared/redact.ts'
import type { Log } from '../ports.ts'

const MOST_BYTES = 5 * 1024 * 1024

/** The agent's own file, bounded: at most two files of 5 MB. */
export const createLog = (dataFolder: string): Log => {
  const logger = log.create({ logId: 'agent' })
  logger.transports.console.level = false
  // Without a name it searches for a package.json from the current folder, and without one writes nothing at all.
  logger.transports.file.setAppName('sluice')
  logger.transports.file.resolvePathFn = () => path.resolve(dataFolder, 'logs', 'agent.log')
  logger.transports.file.maxSize = MOST_BYTES
  logger.transports.file.format = '{iso} {level} {text}'
  const line = (message: string, facts?: Readonly<Record<string, unknown>>) =>
    redact(facts === undefined ? message : `${message} ${JSON.stringify(facts)}`)
  return {
    info: (message, facts) => logger.info(line(message, facts)),
    warn: (message, facts) => logger.warn(line(message, facts)),
    error: (message, facts) => logger.error(line(message, facts)),
  }
}

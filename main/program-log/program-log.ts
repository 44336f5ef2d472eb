import log from 'electron-log/node'
import type { LogLevel, LogSource } from '../../shared/ipc/program-log.ts'
import { LogFiles, type LogLimits } from './log-files.ts'
import { type LogFields, logLine } from './log-line.ts'

type LogEvent = (event: string, fields?: LogFields) => void

/** Writes one line per event into the log of this station, without keys and signed URLs. */
export type ProgramLog = { readonly [Level in LogLevel]: LogEvent } & {
  /** Lines logged during `work` share one write. */
  readonly batchLogs: (work: () => void) => void
}

/**
 * Uses electron-log with our own transport, because electron-log's file transport keeps two files per process, and
 * loses track of the size if two processes write to one file.
 */
export const openProgramLog = (
  folder: string,
  source: LogSource,
  options: { readonly limits?: LogLimits; readonly wallMs?: () => number } = {},
): ProgramLog => {
  const wallMs = options.wallMs ?? Date.now
  const files = new LogFiles(folder, options)
  const now = () => new Date(wallMs())
  const describeLoss = (lines: number) =>
    logLine(now(), 'warn', source, 'lines could not be written', { lines })
  const station = Object.assign(
    ({ data: [line] }: { readonly data: unknown[] }) => files.write(String(line), describeLoss),
    { level: 'info' as const, transforms: [] },
  )
  const logger = log.create({ logId: source })
  logger.transports.console.level = false
  logger.transports.file.level = false
  logger.transports.station = station
  const write =
    (level: LogLevel): LogEvent =>
    (event, fields) =>
      logger[level](logLine(now(), level, source, event, fields))
  return {
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    batchLogs: (work) => files.batchLogs(work),
  }
}

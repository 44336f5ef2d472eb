import log from 'electron-log/node'
import type { LogLevel, LogSource } from '../../shared/ipc/program-log.ts'
import { LogFiles, type LogLimits } from './log-files.ts'
import { type Facts, logLine } from './log-line.ts'

type Say = (event: string, facts?: Facts) => void

/** One line for each event, into the log of this station, without keys and signed addresses. */
export type ProgramLog = { readonly [Level in LogLevel]: Say } & {
  /** What is said within is written at its end, all of it at once. */
  readonly together: (work: () => void) => void
}

/**
 * electron-log with a transport of our own: its file transport keeps two files for each process and forgets how far it
 * had come when two processes write to one.
 */
export const openProgramLog = (
  folder: string,
  source: LogSource,
  options: { readonly limits?: LogLimits; readonly wallMs?: () => number } = {},
): ProgramLog => {
  const wallMs = options.wallMs ?? Date.now
  const files = new LogFiles(folder, options)
  const now = () => new Date(wallMs())
  const lost = (lines: number) => logLine(now(), 'warn', source, 'lines could not be written', { lines })
  const station = Object.assign(
    ({ data: [line] }: { readonly data: unknown[] }) => files.write(String(line), lost),
    { level: 'info' as const, transforms: [] },
  )
  const logger = log.create({ logId: source })
  logger.transports.console.level = false
  logger.transports.file.level = false
  logger.transports.station = station
  const say =
    (level: LogLevel): Say =>
    (event, facts) =>
      logger[level](logLine(now(), level, source, event, facts))
  return {
    info: say('info'),
    warn: say('warn'),
    error: say('error'),
    together: (work) => files.together(work),
  }
}

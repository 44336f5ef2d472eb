import type { LogLevel, LogSource } from '../../shared/program-log.ts'
import { LogFiles, type LogLimits } from './log-files.ts'
import { type Facts, logLine } from './log-line.ts'

type Say = (event: string, facts?: Facts) => void

/** One line for each event, into the log of this station, without keys and signed addresses. */
export type ProgramLog = { readonly [Level in LogLevel]: Say }

export const openProgramLog = (
  folder: string,
  source: LogSource,
  options: { readonly limits?: LogLimits; readonly wallMs?: () => number } = {},
): ProgramLog => {
  const wallMs = options.wallMs ?? Date.now
  const files = new LogFiles(folder, options)
  const now = () => new Date(wallMs())
  const lost = (lines: number) => logLine(now(), 'warn', source, 'lines could not be written', { lines })
  const say =
    (level: LogLevel): Say =>
    (event, facts) =>
      files.write(logLine(now(), level, source, event, facts), lost)
  return { info: say('info'), warn: say('warn'), error: say('error') }
}

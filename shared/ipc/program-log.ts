/** The program log, one line per event. Main and agent write into the same file. */

export const logLevels = ['info', 'warn', 'error'] as const
export type LogLevel = (typeof logLevels)[number]

/** `agent`: the process that watches the folders and uploads. `main`: the process with window, tray and keychain. */
export const logSources = ['agent', 'main'] as const
export type LogSource = (typeof logSources)[number]

export type LogLine = {
  /** The time of the line. Null if a power failure cut the line off. */
  readonly at: string | null
  readonly level: LogLevel
  readonly source: LogSource | null
  readonly text: string
  /** The recording that the line names, if any. */
  readonly recordingId: number | null
  readonly requestId: string | null
}

/** Newest first. Pass `older` to get the next page; it is null on the last page. */
export type LogPage = { readonly lines: readonly LogLine[]; readonly older: string | null }

const linePattern = /^(\d{4}-\d\d-\d\dT\S+Z) (info|warn|error) (agent|main) (.*)$/s
const recordingPattern = / recording=(\d{1,15})(?= |$)/
const requestPattern = / request=([\w.:-]{1,200})(?= |$)/

export const parseLogLine = (line: string): LogLine => {
  const [, at, level, source, text] = linePattern.exec(line) ?? []
  const message = text ?? line
  const id = recordingPattern.exec(message)?.[1]
  return {
    at: at ?? null,
    level: (level as LogLevel | undefined) ?? 'info',
    source: (source as LogSource | undefined) ?? null,
    text: message,
    recordingId: id === undefined ? null : Number(id),
    requestId: requestPattern.exec(message)?.[1] ?? null,
  }
}

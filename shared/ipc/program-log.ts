/** The program's own log, as main and agent write it into one place: one line for each event. */

export const logLevels = ['info', 'warn', 'error'] as const
export type LogLevel = (typeof logLevels)[number]

/** Who wrote it: the pipeline, or the process that has window, tray and keychain. */
export const logSources = ['agent', 'main'] as const
export type LogSource = (typeof logSources)[number]

export type LogLine = {
  /** Null for half a line, which a loss of power left behind. */
  readonly at: string | null
  readonly level: LogLevel
  readonly source: LogSource | null
  readonly text: string
  /** What it is about, where the line says so. */
  readonly recordingId: number | null
  readonly requestId: string | null
}

/** Newest first. `older` asks for what comes before; null at the end of what is kept. */
export type LogPage = { readonly lines: readonly LogLine[]; readonly older: string | null }

const shape = /^(\d{4}-\d\d-\d\dT\S+Z) (info|warn|error) (agent|main) (.*)$/s
const recording = / recording=(\d{1,15})(?= |$)/
const request = / request=([\w.:-]{1,200})(?= |$)/

export const parseLogLine = (line: string): LogLine => {
  const [, at, level, source, text] = shape.exec(line) ?? []
  const said = text ?? line
  const id = recording.exec(said)?.[1]
  return {
    at: at ?? null,
    level: (level as LogLevel | undefined) ?? 'info',
    source: (source as LogSource | undefined) ?? null,
    text: said,
    recordingId: id === undefined ? null : Number(id),
    requestId: request.exec(said)?.[1] ?? null,
  }
}

import { type FileHandle, open } from 'node:fs/promises'
import {
  type LogLevel,
  type LogLine,
  type LogPage,
  type LogSource,
  parseLogLine,
} from '../../shared/ipc/program-log.ts'
import type { Redact } from '../../shared/redaction/redact.ts'
import { escapeText } from '../../shared/words/escape-text.ts'
import { READ_FLAGS } from '../local-files/plain-file.ts'
import { logFiles } from './log-files.ts'

const CHUNK_BYTES = 256 * 1024
/** One page searches at most this much, because a search without matches must not block the main process. */
const MAX_SEARCHED_BYTES = 2 * 1024 * 1024
/** The first bytes of a file identify it even after a rename, because the first line begins with the time. */
const MARK_BYTES = 80

export type LogQuery = {
  readonly levels: readonly LogLevel[]
  readonly sources: readonly LogSource[]
  readonly text: string
  readonly older: string | null
  readonly limit: number
}

/** A line and its position in the file. */
type LineAt = { readonly line: string; readonly start: number }

/** The lines before `end`, newest first. */
async function* linesBefore(handle: FileHandle, end: number): AsyncGenerator<LineAt> {
  let tail = Buffer.alloc(0)
  for (let at = end; at > 0; ) {
    const length = Math.min(CHUNK_BYTES, at)
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, at - length)
    at -= length
    let rest = Buffer.concat([buffer.subarray(0, bytesRead), tail])
    for (let cut = rest.lastIndexOf(0x0a); cut >= 0; cut = rest.lastIndexOf(0x0a)) {
      const line = rest.toString('utf8', cut + 1)
      if (line !== '') yield { line, start: at + cut + 1 }
      rest = rest.subarray(0, cut)
    }
    tail = rest
  }
  if (tail.length > 0) yield { line: tail.toString('utf8'), start: 0 }
}

const markOf = async (handle: FileHandle): Promise<string> => {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(MARK_BYTES), 0, MARK_BYTES, 0)
  return buffer.toString('base64url', 0, bytesRead)
}

type Position = { readonly mark: string; readonly end: number }

const parsePosition = (older: string | null): Position | null => {
  const [mark, end] = older?.split(' ') ?? []
  return mark === undefined || !Number.isSafeInteger(Number(end)) ? null : { mark, end: Number(end) }
}

/** All lines of all log files before a position, newest first. */
async function* allLines(
  folder: string,
  from: Position | null,
): AsyncGenerator<LineAt & { readonly mark: string }> {
  let hasReachedStart = from === null
  for (const file of [...listLogFiles(folder)].reverse()) {
    // A rotation may have removed the file.
    const handle = await open(file, READ_FLAGS).catch(() => null)
    if (handle === null) continue
    try {
      if (!(await handle.stat()).isFile()) continue
      const mark = await markOf(handle)
      const isStartFile = !hasReachedStart && mark === from?.mark
      if (!hasReachedStart && !isStartFile) continue
      hasReachedStart = true
      const { size } = await handle.stat()
      const end = isStartFile && from !== null ? Math.min(from.end, size) : size
      for await (const found of linesBefore(handle, end)) yield { ...found, mark }
    } finally {
      await handle.close()
    }
  }
}

const listLogFiles = (folder: string): readonly string[] => {
  try {
    return logFiles(folder)
  } catch {
    return []
  }
}

/**
 * A page of matching lines for the window. Redacts the lines again, because an older version may have redacted less.
 */
export const readLogPage = async (folder: string, query: LogQuery, clean: Redact): Promise<LogPage> => {
  const lines: LogLine[] = []
  const searchText = query.text.trim().toLowerCase()
  let searchedBytes = 0
  for await (const { line, start, mark } of allLines(folder, parsePosition(query.older))) {
    searchedBytes += line.length
    const parsed = parseLogLine(line)
    const isMatch =
      (query.levels.length === 0 || query.levels.includes(parsed.level)) &&
      (query.sources.length === 0 || (parsed.source !== null && query.sources.includes(parsed.source))) &&
      line.toLowerCase().includes(searchText)
    if (isMatch) lines.push({ ...parsed, text: escapeText(clean(parsed.text)) })
    if (lines.length >= query.limit || searchedBytes >= MAX_SEARCHED_BYTES)
      return { lines, older: `${mark} ${start}` }
  }
  return { lines, older: null }
}

/** The end of the log for a report, newest last. Null if there is no log. */
export const readLogEnd = async (folder: string, maxBytes: number): Promise<readonly string[] | null> => {
  const lines: string[] = []
  let bytes = 0
  for await (const { line } of allLines(folder, null)) {
    bytes += Buffer.byteLength(line) + 1
    if (bytes > maxBytes) break
    lines.push(line)
  }
  return lines.length === 0 ? null : lines.reverse()
}

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
import { READ_ANY } from '../local-files/plain-file.ts'
import { logFiles } from './log-files.ts'

const CHUNK_BYTES = 256 * 1024
/** Looked through in one call: a search for what is not there must not keep the main process. */
const MOST_BYTES_LOOKED = 2 * 1024 * 1024
/** What a file is known by, whatever it is renamed to: its first line begins with the time. */
const MARK_BYTES = 80

export type LogQuery = {
  readonly levels: readonly LogLevel[]
  readonly sources: readonly LogSource[]
  readonly text: string
  readonly older: string | null
  readonly limit: number
}

/** A line, and where in its file it begins. */
type Found = { readonly line: string; readonly start: number }

/** The lines before `end`, newest first. */
async function* linesBefore(handle: FileHandle, end: number): AsyncGenerator<Found> {
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

type Place = { readonly mark: string; readonly end: number }

const placeOf = (older: string | null): Place | null => {
  const [mark, end] = older?.split(' ') ?? []
  return mark === undefined || !Number.isSafeInteger(Number(end)) ? null : { mark, end: Number(end) }
}

/** Every line of the family before a place, newest first, with the place before it. */
async function* allLines(
  folder: string,
  from: Place | null,
): AsyncGenerator<Found & { readonly mark: string }> {
  let reached = from === null
  for (const file of [...listed(folder)].reverse()) {
    // Forgotten meanwhile.
    const handle = await open(file, READ_ANY).catch(() => null)
    if (handle === null) continue
    try {
      if (!(await handle.stat()).isFile()) continue
      const mark = await markOf(handle)
      const isPlace = !reached && mark === from?.mark
      if (!reached && !isPlace) continue
      reached = true
      const { size } = await handle.stat()
      const end = isPlace && from !== null ? Math.min(from.end, size) : size
      for await (const found of linesBefore(handle, end)) yield { ...found, mark }
    } finally {
      await handle.close()
    }
  }
}

const listed = (folder: string): readonly string[] => {
  try {
    return logFiles(folder)
  } catch {
    return []
  }
}

/** For the window: what matches, cleaned once more, because another version may have written it. */
export const readLogPage = async (folder: string, query: LogQuery, clean: Redact): Promise<LogPage> => {
  const lines: LogLine[] = []
  const wanted = query.text.trim().toLowerCase()
  let looked = 0
  for await (const { line, start, mark } of allLines(folder, placeOf(query.older))) {
    looked += line.length
    const parsed = parseLogLine(line)
    const fits =
      (query.levels.length === 0 || query.levels.includes(parsed.level)) &&
      (query.sources.length === 0 || (parsed.source !== null && query.sources.includes(parsed.source))) &&
      line.toLowerCase().includes(wanted)
    if (fits) lines.push({ ...parsed, text: escapeText(clean(parsed.text)) })
    if (lines.length >= query.limit || looked >= MOST_BYTES_LOOKED)
      return { lines, older: `${mark} ${start}` }
  }
  return { lines, older: null }
}

/** For a report: the end of the log, newest last. Null where there is none. */
export const readLogEnd = async (folder: string, mostBytes: number): Promise<readonly string[] | null> => {
  const lines: string[] = []
  let bytes = 0
  for await (const { line } of allLines(folder, null)) {
    bytes += Buffer.byteLength(line) + 1
    if (bytes > mostBytes) break
    lines.push(line)
  }
  return lines.length === 0 ? null : lines.reverse()
}

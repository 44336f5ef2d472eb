import type { CheckedArgs } from '../../../shared/ipc/ipc.ts'
import { type LogPage, parseLogLine } from '../../../shared/ipc/program-log.ts'
import {
  busyStates,
  bytesOf,
  completionRequestId,
  foundAt,
  reasonOf,
  stageDurationMs,
  transitions,
} from './night.ts'

const RECORDING_COUNT = 250
const MINUTE_MS = 60_000

const lineOf = (atMs: number, rest: string): string => `${new Date(atMs).toISOString()} ${rest}`

/** The agent's log lines for one recording, up to its state. */
const linesOf = (index: number, nowMs: number): readonly string[] => {
  const state = busyStates[index] ?? 'processed'
  const end = state === 'failed' ? 'processing' : state === 'gone' ? 'queued' : state
  const bytes = bytesOf(index)
  const lines: string[] = []
  let atMs = foundAt(index, nowMs)
  for (const [from, kind, to] of transitions) {
    if (from === end) break
    atMs += stageDurationMs(kind, bytes)
    const request = kind === 'completed' ? ` request=${completionRequestId(index)}` : ''
    lines.push(
      lineOf(atMs, `info agent ${from} -> ${to}: ${reasonOf(kind, bytes)} recording=${index + 1}${request}`),
    )
  }
  return lines
}

/** The log of the busy station, newest last. */
const linesUntil = (nowMs: number): readonly string[] => {
  const ago = (minutes: number, rest: string) => lineOf(nowMs - minutes * MINUTE_MS, rest)
  return [
    ...Array.from({ length: RECORDING_COUNT }, (_, index) => linesOf(index, nowMs)).flat(),
    ago(2_001, 'error main agent exited with code 1; starting again in 250 ms'),
    ago(2_000, 'info agent started {"version":"0.1.0"}'),
    ago(205, 'warn agent condition-began {"condition":"control"}'),
    ago(166, 'info agent condition-ended {"condition":"control"}'),
  ].toSorted()
}

const lines = linesUntil(Date.now())

export const listLogLines = (query: CheckedArgs<'listLogLines'>): LogPage => {
  const { levels, sources, text, older, limit } = query
  const matches = []
  let index = older === null ? lines.length : Number(older)
  while (index > 0 && matches.length < limit) {
    index -= 1
    const line = lines[index] ?? ''
    const parsed = parseLogLine(line)
    const isMatch =
      (levels.length === 0 || levels.includes(parsed.level)) &&
      (sources.length === 0 || (parsed.source !== null && sources.includes(parsed.source))) &&
      line.toLowerCase().includes(text.toLowerCase())
    if (isMatch) matches.push(parsed)
  }
  return { lines: matches, older: index === 0 ? null : String(index) }
}

import path from 'node:path'
import { type LogLine, logLevels, logSources } from '../../shared/ipc/program-log.ts'
import { redact } from '../../shared/redaction/redact.ts'
import { readLogPage } from '../program-log/read-log.ts'
import { defineCommand } from './program/command.ts'
import { printJson, printLine } from './terminal.ts'

const DEFAULT_LINES = 50
const MAX_LINES = 100_000
const PAGE_SIZE = 500

const lineJson = ({ recordingId, requestId, ...line }: LogLine) => ({
  ...line,
  recording_id: recordingId,
  request_id: requestId,
})

export const logsCommand = defineCommand({
  name: 'logs',
  group: 'view',
  summary: 'show the technical log, newest last',
  about: [
    `Prints the last ${DEFAULT_LINES} lines that match, from the main process and the agent. Keys, passwords and the signatures of URLs are removed. For the history of recordings, see “sluice activity”.`,
  ],
  data: 'own',
  options: {
    level: {
      value: { kind: 'choice', name: 'LEVEL', of: logLevels },
      summary: 'this level and worse: info, warn or error',
    },
    source: {
      value: { kind: 'choice', name: 'SOURCE', of: logSources },
      summary: 'only lines from the agent, or only lines from the main process',
    },
    text: { value: { kind: 'text', name: 'TEXT' }, summary: 'only lines that contain this text' },
    since: {
      value: { kind: 'text', name: 'TIME' },
      summary: 'only lines since this time: 2026-03-12, 2026-03-12T18:00, or 12h for twelve hours ago',
    },
    most: {
      value: { kind: 'text', name: 'NUMBER' },
      summary: `maximum number of lines (default: ${DEFAULT_LINES})`,
    },
  },
  json: 'lines, each with at, level, source, text, recording_id, request_id.',
  exits: { 0: 'done' },
  examples: ['sluice logs --level warn', 'sluice logs --text req_8fK2 --most 500'],
  run: async (input) => {
    const level = input.choice('level', logLevels)
    const source = input.choice('source', logSources)
    const sinceMs = input.momentMs('since')
    const maxLines = input.wholeNumber('most', MAX_LINES) ?? DEFAULT_LINES
    const query = {
      levels: level === null ? [] : logLevels.slice(logLevels.indexOf(level)),
      sources: source === null ? [] : [source],
      text: input.text('text') ?? '',
    }
    const isRecentEnough = ({ at }: LogLine) => sinceMs === null || at === null || Date.parse(at) >= sinceMs
    const lines: LogLine[] = []
    let older: string | null = null
    do {
      const limit = Math.min(PAGE_SIZE, maxLines - lines.length)
      const page = await readLogPage(path.join(input.data, 'logs'), { ...query, older, limit }, redact)
      const recentLines = page.lines.filter(isRecentEnough)
      lines.push(...recentLines)
      // Pages come newest first. So if a line is too old, all later pages are too old as well.
      older = recentLines.length < page.lines.length ? null : page.older
    } while (older !== null && lines.length < maxLines)
    lines.reverse()
    if (input.json) {
      printJson({ lines: lines.map(lineJson) })
      return 0
    }
    if (lines.length === 0) printLine('No matching lines.')
    for (const { at, level: lineLevel, source: lineSource, text } of lines)
      printLine([at, lineLevel, lineSource, text].filter((each) => each !== null).join(' '))
    return 0
  },
})

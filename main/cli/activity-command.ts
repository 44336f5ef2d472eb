import { systemClock } from '../../shared/clock/clock.ts'
import type { ActivityEntry, ActivityPage } from '../../shared/status/activity.ts'
import { formatMoment } from '../../shared/words/format.ts'
import { ownerWords } from '../../shared/words/words.ts'
import { activityPage } from '../agent/status/activity-rows.ts'
import { folderToRead } from './journal-folder.ts'
import { defineCommand } from './program/command.ts'
import type { CommandInput } from './program/command-input.ts'
import { readJournalOrAgent } from './running-agent.ts'
import { printJson, printLine, wrapText } from './terminal.ts'

/** The width of a time such as "14 Nov 2026 03:12". */
const TIME_WIDTH = 17
const PAGE_SIZE = 500
/** How many entries the command prints without `--since`. */
const DEFAULT_ENTRIES = 50

const linesOf = (entry: ActivityEntry, nowMs: number): readonly string[] => {
  const time = formatMoment(entry.at, nowMs).padEnd(TIME_WIDTH)
  const ownerText =
    entry.owner === null || entry.owner === 'nobody' ? '' : ` Needs ${ownerWords[entry.owner].inSentence}.`
  const requestText = entry.requestId === null ? '' : ` Request ID: ${entry.requestId}`
  const [first = '', ...rest] = wrapText(`${entry.sentence}${ownerText}${requestText}`, TIME_WIDTH + 2)
  return [`${time}  ${first.trimStart()}`, ...rest]
}

const readEntries = async (
  dataFolder: string,
  since: string | null,
  nowMs: number,
): Promise<readonly ActivityEntry[]> => {
  const from = since === null ? {} : { from: since }
  const limit = since === null ? DEFAULT_ENTRIES : PAGE_SIZE
  const entries: ActivityEntry[] = []
  let cursor: string | null = null
  do {
    const query = { groups: [], text: '', before: cursor, limit, ...from }
    const page: ActivityPage = await readJournalOrAgent(
      dataFolder,
      (journal) => activityPage(journal, query, nowMs),
      (call) => call('listActivity', query),
    )
    entries.push(...page.entries)
    cursor = page.older
  } while (since !== null && cursor !== null)
  return entries
}

const entryJson = ({ recordingId, sessionId, requestId, ...entry }: ActivityEntry) => ({
  ...entry,
  recording_id: recordingId,
  session_id: sessionId,
  request_id: requestId,
})

/** Prints the newest entry last, next to the prompt. */
const printActivity = async (input: CommandInput<'since'>): Promise<void> => {
  const sinceMs = input.momentMs('since')
  const since = sinceMs === null ? null : new Date(sinceMs).toISOString()
  const nowMs = systemClock.wallMs()
  const entries = (await readEntries(folderToRead(input), since, nowMs)).toReversed()
  if (input.json) {
    printJson({ entries: entries.map(entryJson) })
    return
  }
  if (entries.length === 0) printLine('There are no entries.')
  for (const entry of entries) for (const line of linesOf(entry, nowMs)) printLine(line)
}

export const activityCommand = defineCommand({
  name: 'activity',
  group: 'view',
  summary: 'show the events of the station, newest last',
  about: [
    `Prints the last ${DEFAULT_ENTRIES} entries, or all entries since a time. Works with and without a running agent. If this account may not read the journal, the running agent reads it for the command. So members of control.group can use this command too.`,
  ],
  data: 'own',
  options: {
    since: {
      value: { kind: 'text', name: 'TIME' },
      summary: 'all entries since this time: 2026-03-12, 2026-03-12T18:00, or 12h for twelve hours ago',
    },
  },
  json: 'entries: each with at, kind, group, tone, sentence, owner, recording_id, session_id, request_id.',
  exits: { 0: 'done' },
  examples: ['sluice activity', 'sluice activity --since 12h'],
  run: async (input) => {
    await printActivity(input)
    return 0
  },
})

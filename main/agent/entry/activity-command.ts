import type { ActivityEntry } from '../../../shared/activity.ts'
import { formatMoment } from '../../../shared/format.ts'
import { ownerWords } from '../../../shared/words.ts'
import { systemClock } from '../platform/system-clock.ts'
import { activityPage } from '../status/activity-rows.ts'
import { withJournal } from './journal-commands.ts'
import { printJson, printLine } from './terminal.ts'

const COLUMNS = 80
/** "14 Nov 2026 03:12" */
const TIME_WIDTH = 17
const PAGE = 500
/** Without a time to begin at: what fits into a look. */
const NEWEST = 50

export type ActivityOptions = {
  readonly data: string
  readonly json: boolean
  readonly since: string | null
}

/** Broken between words; a word that is longer than the line, such as a path, goes over it. */
const wrap = (text: string, width: number): readonly string[] => {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= width) lines.push(`${lines.pop()} ${word}`)
    else lines.push(word)
  }
  return lines
}

const linesOf = (entry: ActivityEntry, nowMs: number): readonly string[] => {
  const time = formatMoment(entry.at, nowMs).padEnd(TIME_WIDTH)
  const whose = entry.owner === null || entry.owner === 'nobody' ? '' : ` ${ownerWords[entry.owner].label}.`
  const quoted = entry.requestId === null ? '' : ` Request ID: ${entry.requestId}`
  const [first = '', ...rest] = wrap(`${entry.sentence}${whose}${quoted}`, COLUMNS - TIME_WIDTH - 2)
  return [`${time}  ${first}`, ...rest.map((line) => `${' '.repeat(TIME_WIDTH)}  ${line}`)]
}

const read = (dataFolder: string, since: string | null, nowMs: number): readonly ActivityEntry[] =>
  withJournal(dataFolder, (journal) => {
    const from = since === null ? {} : { from: since }
    const entries: ActivityEntry[] = []
    const limit = since === null ? NEWEST : PAGE
    let before: string | null = null
    do {
      const page = activityPage(journal, { groups: [], text: '', before, limit, ...from }, nowMs)
      entries.push(...page.entries)
      before = page.older
    } while (since !== null && before !== null)
    return entries
  })

/** The newest last, where a terminal is read. */
export const printActivity = ({ data, json, since }: ActivityOptions): void => {
  const nowMs = systemClock.wallMs()
  const entries = [...read(data, since, nowMs)].reverse()
  if (json) {
    printJson({ entries })
    return
  }
  if (entries.length === 0) printLine('Nothing has happened yet.')
  for (const entry of entries) for (const line of linesOf(entry, nowMs)) printLine(line)
}

import { existsSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { standingWords } from '../../shared/words/words.ts'
import * as commands from '../agent/calls/commands.ts'
import { standingOf } from '../agent/domain/standing.ts'
import type { Journal, Recording } from '../agent/journal/journal.ts'
import { systemClock } from '../agent/platform/system-clock.ts'
import { stationOf, withJournal } from './journal-commands.ts'
import { defineCommand, settingsOptions } from './program/command.ts'
import type { Typed } from './program/command-input.ts'
import { SeveralLines } from './program/multi-line-error.ts'
import { askPatiently } from './request-with-retry.ts'
import { sessionLines } from './session-json.ts'
import { atService, sessionIdOf } from './sessions-command.ts'
import { printJson, printLine, wrapText } from './terminal.ts'

type Asked = Typed<'yes' | 'even-in-use' | 'settings' | 'managed'>

/** A data folder without a journal is no station: none of its recordings needs anything. */
const inJournal = <T>(dataFolder: string, use: (journal: Journal) => T): T | null =>
  existsSync(path.join(dataFolder, 'journal.db')) ? withJournal(dataFolder, use) : null

type Kept = Pick<Recording, 'state' | 'current' | 'removedAtMs' | 'movedTo'>

const isHere = ({ state, current, removedAtMs, movedTo }: Kept): boolean =>
  state !== 'gone' && (removedAtMs === null ? current : movedTo !== null)

/** Whoever believes that a file stays deletes more lightly. */
export const deletionWords = (recordings: readonly Kept[]): string => {
  const what = 'This deletes the recording at the service and everything derived from it. It cannot be undone'
  if (recordings.some(isHere)) return `${what}; the file on this PC stays.`
  return recordings.length === 0
    ? `${what}, and this station knows of no file of it on this PC.`
    : `${what}, and its file is no longer on this PC: the service has what may be the only copy.`
}

/** What of this station is at the service only as this session, in words; nothing where it stopped there. */
const usersOf = (dataFolder: string, id: string): readonly string[] =>
  inJournal(dataFolder, (journal) => {
    const { view } = stationOf(journal)
    return journal.recordings
      .bySession(id)
      .filter(({ state }) => state !== 'failed' && state !== 'gone')
      .map((recording) => {
        const standing = standingOf({ ...recording, endsBy: recording.problem?.endsBy ?? null }, view)
        const word = standingWords[standing].word
        return `${recording.path} (${isHere(recording) ? word : `${word}, no longer on this PC`})`
      })
  }) ?? []

/** Null at the end of the input. */
const typedLine = async (): Promise<string | null> => {
  const lines = createInterface({ input: process.stdin })
  try {
    for await (const line of lines) return line.trim()
    return null
  } finally {
    lines.close()
    process.stdin.unref?.()
  }
}

const isConfirmed = async (id: string): Promise<boolean> => {
  process.stderr.write(`Type ${id} to delete it, or anything else to keep it: `)
  const typed = await typedLine()
  if (!process.stdin.isTTY) process.stderr.write('\n')
  return typed === id
}

const remove = async (typed: Asked): Promise<number> => {
  const id = sessionIdOf(typed)
  const users = usersOf(typed.data, id)
  if (users.length > 0 && !typed.is('even-in-use')) {
    const whose = users.length === 1 ? 'a recording of this station needs' : 'recordings of this station need'
    throw new SeveralLines(
      `Nothing was deleted: ${whose} this session. Add --even-in-use to delete it anyway.`,
      ...users,
    )
  }
  return atService(typed, async (service) => {
    if (!typed.is('yes')) {
      const { value } = await askPatiently((signal) => service.retrieveSession(id, signal))
      const tell = (line: string) => printLine(line, process.stderr)
      for (const line of sessionLines(value, systemClock.wallMs())) tell(line)
      const what = deletionWords(inJournal(typed.data, (journal) => journal.recordings.bySession(id)) ?? [])
      for (const line of ['', ...wrapText(what, 0)]) tell(line)
      if (!(await isConfirmed(id))) throw new Error('Nothing was deleted.')
    }
    const { requestId } = await askPatiently((signal) => service.deleteSession(id, signal))
    inJournal(typed.data, (journal) => commands.noteDeletion(journal, id, requestId))
    if (typed.json) printJson({ id, deleted: true, request_id: requestId })
    else
      printLine(`${id} is deleted at the service.${requestId === null ? '' : ` Request ID: ${requestId}.`}`)
    return 0
  })
}

export const sessionsDeleteCommand = defineCommand({
  name: 'sessions delete',
  group: 'act',
  summary: 'permanently delete a session at the service',
  about: [
    'Deletes the recording at the service and everything derived from it. This cannot be undone. Asks you to type the session ID; use --yes in a script.',
    'Refuses to delete a session that this station still uploads to or counts as safe, unless you add --even-in-use.',
  ],
  data: 'own',
  operands: [{ value: { kind: 'text', name: 'ID' }, summary: 'the id of a session', required: true }],
  options: {
    yes: { summary: 'do not ask for confirmation' },
    'even-in-use': { summary: 'delete it even if this station needs it' },
    ...settingsOptions,
  },
  json: 'id, deleted (true) and request_id.',
  exits: { 0: 'deleted', 1: 'not deleted; the sentence on stderr says why' },
  examples: ['sluice sessions delete ses_4fT9'],
  carryOut: remove,
})

import { existsSync } from 'node:fs'
import path from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { systemClock } from '../../shared/clock/clock.ts'
import { standingWords } from '../../shared/words/words.ts'
import { done, type Outcome } from '../agent/domain/failure.ts'
import { standingOfRecording } from '../agent/domain/standing.ts'
import type { Journal, Recording } from '../agent/journal/journal.ts'
import { isBusy } from '../agent/journal/write-lock.ts'
import type { Answered } from '../agent/ports/service.ts'
import {
  FILE_BEING_REMOVED,
  intendDeletion,
  noteDeletion as noteDeletionNow,
  wasDeletionRefused,
} from '../agent/sessions/session-deletion.ts'
import { stationOf } from '../agent/status/status-report.ts'
import { refuseIfMoved } from '../local-files/moved-station.ts'
import { onEndingSignal } from './ending-signals.ts'
import { changeJournal, withJournal } from './journal-commands.ts'
import { journalFolder } from './journal-folder.ts'
import { defineCommand, settingsOptions } from './program/command.ts'
import type { CommandInput } from './program/command-input.ts'
import { MultiLineError } from './program/multi-line-error.ts'
import { requestWithRetry } from './request-with-retry.ts'
import { sessionLines } from './session-json.ts'
import { sessionIdOf, withStationService } from './sessions-command.ts'
import { printJson, printLine, wrapText } from './terminal.ts'
import { confirmByTyping } from './typed-confirmation.ts'

type Input = CommandInput<'yes' | 'even-in-use' | 'settings' | 'managed'>

const hasJournal = (dataFolder: string): boolean => existsSync(path.join(dataFolder, 'journal.db'))

/** Null if the data folder has no journal, and therefore no recordings. */
const readJournalIfAny = <T>(dataFolder: string, read: (journal: Journal) => T): T | null =>
  hasJournal(dataFolder) ? withJournal(dataFolder, read) : null

const changeJournalIfAny = <T>(dataFolder: string, change: (journal: Journal) => T): T | null =>
  hasJournal(dataFolder) ? changeJournal(dataFolder, change) : null

const JOURNAL_NOT_UPDATED =
  'The journal could not be changed, so the recordings of this session still count as safe. Run this command again.'

type LocalCopy = Pick<Recording, 'state' | 'current' | 'removedAtMs' | 'movedTo'>

const isOnThisPc = ({ state, current, removedAtMs, movedTo }: LocalCopy): boolean =>
  state !== 'gone' && (removedAtMs === null ? current : movedTo !== null)

/** The warning before the deletion. It says whether a copy remains on this PC. */
export const deletionWords = (recordings: readonly LocalCopy[]): string => {
  const warning =
    'This deletes the recording at the service and everything derived from it. You cannot undo this.'
  if (recordings.some(isOnThisPc)) return `${warning} But the file on this PC stays.`
  return recordings.length === 0
    ? `${warning} This station has no record of a copy on this PC.`
    : `${warning} The file is no longer on this PC, so the service may have the only copy.`
}

/**
 * The recordings of this station that need this session, as one line each: path and standing. Leaves out recordings
 * that have failed, or whose file vanished before its upload was complete.
 */
const recordingsUsing = (dataFolder: string, id: string): readonly string[] =>
  readJournalIfAny(dataFolder, (journal) => {
    const { view } = stationOf(journal)
    return journal.recordings
      .bySession(id)
      .filter(({ state }) => state !== 'failed' && state !== 'gone')
      .map((recording) => {
        const { word } = standingWords[standingOfRecording(recording, view)]
        return `${recording.path} (${isOnThisPc(recording) ? word : `${word}, no longer on this PC`})`
      })
  }) ?? []

const isConfirmed = (id: string): Promise<boolean> =>
  confirmByTyping(id, `Type ${id} to delete it, or anything else to keep it: `)

/**
 * A missing session is no failure if a recording of this station uses it, because an interrupted run may have deleted
 * the session already. If no recording uses it, the ID is probably mistyped.
 */
const missingAsNull = <T>(
  answer: Outcome<Answered<T>>,
  recordingLines: readonly string[],
): Outcome<Answered<T | null>> =>
  !answer.ok && answer.failure.kind === 'not-found' && recordingLines.length > 0
    ? done({ value: null, requestId: answer.failure.requestId })
    : answer

/**
 * Retries until the journal is free, because the session is already deleted. SQLite waits a few seconds in each
 * attempt. After the first failed attempt, Ctrl+C ends the command, and the agent later checks whether the session
 * still exists.
 */
const noteDeletion = async (
  dataFolder: string,
  id: string,
  requestId: string | null,
  allowSignals: () => void,
): Promise<void> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      changeJournalIfAny(dataFolder, (journal) => noteDeletionNow(journal, id, requestId))
      return
    } catch (error) {
      if (!isBusy(error))
        throw new Error(`${id} is deleted at the service. ${JOURNAL_NOT_UPDATED}`, { cause: error })
    }
    if (attempt === 1) {
      printLine(
        `${id} is deleted at the service. Waiting for another program to release the journal.`,
        process.stderr,
      )
      allowSignals()
    }
    await setImmediate()
  }
}

const deleteSession = async (input: Input): Promise<number> => {
  const id = sessionIdOf(input)
  refuseIfMoved(journalFolder(input))
  const recordingLines = recordingsUsing(journalFolder(input), id)
  if (recordingLines.length > 0 && !input.has('even-in-use')) {
    const subject =
      recordingLines.length === 1 ? 'a recording of this station needs' : 'recordings of this station need'
    throw new MultiLineError(
      `Nothing was deleted: ${subject} this session. Add --even-in-use to delete it anyway.`,
      ...recordingLines,
    )
  }
  return withStationService(input, async (service) => {
    if (!input.has('yes')) {
      const { value } = await requestWithRetry(async (signal) =>
        missingAsNull(await service.retrieveSession(id, signal), recordingLines),
      )
      const show = (line: string) => printLine(line, process.stderr)
      if (value === null) show('The service no longer has this session.')
      else for (const line of sessionLines(value, systemClock.wallMs())) show(line)
      const warning = deletionWords(
        readJournalIfAny(journalFolder(input), (journal) => journal.recordings.bySession(id)) ?? [],
      )
      for (const line of ['', ...wrapText(warning, 0)]) show(line)
      if (!(await isConfirmed(id))) throw new Error('Nothing was deleted.')
    }
    const { requestId } = await requestWithRetry(async (signal) => {
      // If another program holds the journal, the command fails here, before it deletes anything.
      if (changeJournalIfAny(journalFolder(input), (journal) => intendDeletion(journal, id)) === false)
        throw new Error(FILE_BEING_REMOVED)
      // Ignore Ctrl+C until the deletion is in the journal, or `noteDeletion` finds the journal locked. Otherwise
      // the journal could still count the deleted recording as safe.
      const allowSignals = onEndingSignal(() => {})
      try {
        const answer = missingAsNull(await service.deleteSession(id, signal), recordingLines)
        if (answer.ok) await noteDeletion(journalFolder(input), id, answer.value.requestId, allowSignals)
        else if (wasDeletionRefused(answer.failure))
          changeJournalIfAny(journalFolder(input), (journal) => journal.deletions.forget(id))
        return answer
      } finally {
        allowSignals()
      }
    })
    if (input.json) printJson({ id, deleted: true, request_id: requestId })
    else
      printLine(`${id} is deleted at the service.${requestId === null ? '' : ` Request ID: ${requestId}.`}`)
    return 0
  })
}

export const sessionsDeleteCommand = defineCommand({
  name: 'sessions delete',
  group: 'control',
  summary: 'permanently delete a session at the service',
  about: [
    'Deletes the recording at the service and everything derived from it. This cannot be undone. Asks you to type the session ID; use --yes in a script.',
    'Refuses to delete a session that this station still uploads to or counts as safe, unless you add --even-in-use.',
  ],
  data: 'own',
  operands: [{ value: { kind: 'text', name: 'ID' }, summary: 'the ID of a session', required: true }],
  options: {
    yes: { summary: 'do not ask for confirmation' },
    'even-in-use': { summary: 'delete the session even if this station needs it' },
    ...settingsOptions,
  },
  json: 'id, deleted (true) and request_id.',
  exits: { 0: 'deleted', 1: 'not deleted; stderr has the reason' },
  examples: ['sluice sessions delete ses_4fT9'],
  run: deleteSession,
})

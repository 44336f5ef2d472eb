import { systemClock } from '../../shared/clock/clock.ts'
import { pathsOf } from '../../shared/paths/paths.ts'
import { momentInSentence } from '../../shared/words/format.ts'
import * as commands from '../agent/calls/commands.ts'
import { recordingAt } from '../agent/calls/path-commands.ts'
import type { Journal, Recording } from '../agent/journal/journal.ts'
import { journalFolder } from './journal-folder.ts'
import { defineCommand } from './program/command.ts'
import type { CommandInput } from './program/command-input.ts'
import { journalOrAgent } from './running-agent.ts'
import { printJson, printLine } from './terminal.ts'

type Input = CommandInput<'undo'>

/** The recordings that the user named, or null for the whole station. */
const chosen = (journal: Journal, { operands }: Input): readonly (Recording | null)[] =>
  operands.length === 0
    ? [null]
    : operands.map((file) => {
        const recording = recordingAt(journal, pathsOf(process.platform).resolve(process.cwd(), file))
        if (recording === undefined) throw new Error(`The journal has no recording ${file}.`)
        return recording
      })

/** When uploads outside the hours end. Null: when the user runs --undo. */
const ignoreUploadHours = (journal: Journal, input: Input, nowMs: number): number | null => {
  const outlook = journal.station.outlook()
  if (outlook === null) throw new Error('No agent has run here yet, so the upload hours are unknown.')
  const ends = chosen(journal, input).map((recording) =>
    commands.uploadNow(journal, outlook.transfer, recording, nowMs),
  )
  return ends[0] ?? null
}

/** A member of `control.group` acts through the agent, which knows recordings by their number only. */
const refusePaths = ({ operands }: Input): void => {
  if (operands.length > 0)
    throw new Error(
      'Only the account of the agent or an administrator may name recordings here. Leave out the paths.',
    )
}

const undo = async (input: Input): Promise<number> => {
  const wasActive = await journalOrAgent(
    journalFolder(input),
    (journal) =>
      journal.transaction(
        () =>
          chosen(journal, input).filter((recording) => commands.cancelUploadNow(journal, recording)).length >
          0,
      ),
    async (call) => {
      refusePaths(input)
      const before = await call('getStatus', undefined)
      await call('cancelUploadNow', { id: null })
      return before.station.uploadNow !== null
    },
  )
  if (input.json) printJson({ upload_now: false, was_lifted: wasActive })
  else
    printLine(
      wasActive ? 'Uploads wait for the upload hours again.' : 'Uploads already wait for the upload hours.',
    )
  return 0
}

const uploadNow = async (input: Input): Promise<number> => {
  if (input.is('undo')) return undo(input)
  const nowMs = systemClock.wallMs()
  const until = await journalOrAgent(
    journalFolder(input),
    (journal) => {
      const untilMs = journal.transaction(() => ignoreUploadHours(journal, input, nowMs))
      return untilMs === null ? null : new Date(untilMs).toISOString()
    },
    async (call) => {
      refusePaths(input)
      await call('uploadNow', { id: null })
      return (await call('getStatus', undefined)).station.uploadNow?.until ?? null
    },
  )
  if (input.json) printJson({ upload_now: true, until, paths: input.operands })
  else
    printLine(
      until === null
        ? 'Uploading outside the upload hours until you run: sluice upload-now --undo'
        : `Uploading outside the upload hours until ${momentInSentence(until, nowMs)}.`,
    )
  return 0
}

export const uploadNowCommand = defineCommand({
  name: 'upload-now',
  group: 'control',
  summary: 'upload outside the upload hours, until they begin again',
  about: [
    'Without a path, everything is uploaded. With paths, only these recordings are. This lasts until the next upload hours begin, also across restarts; --undo ends it earlier. Takes effect at once in a running agent. Members of control.group can use this command without paths.',
    'Sluice ignores only the upload hours. A pause, battery power, a full disk or a key problem still stops uploads. The general speed limit applies.',
  ],
  data: 'own',
  operands: [
    {
      value: { kind: 'file', name: 'PATH' },
      summary: 'the path of a recording; you can give several',
      required: false,
      many: true,
    },
  ],
  options: { undo: { summary: 'wait for the upload hours again' } },
  json: 'upload_now (true), until and paths; with --undo upload_now (false) and was_lifted.',
  exits: { 0: 'saved in the journal', 1: 'uploads do not wait for upload hours, or a path is unknown' },
  examples: ['sluice upload-now', 'sluice upload-now /data/takes/hall-3.mcap', 'sluice upload-now --undo'],
  run: uploadNow,
})

import { systemClock } from '../../shared/clock/clock.ts'
import { pathsOf } from '../../shared/paths/paths.ts'
import { momentInSentence } from '../../shared/words/format.ts'
import { uploadPathsNow } from '../agent/calls/path-commands.ts'
import { journalFolder } from './journal-folder.ts'
import { defineCommand } from './program/command.ts'
import type { CommandInput } from './program/command-input.ts'
import { callAgentOrJournal } from './running-agent.ts'
import { printJson, printLine } from './terminal.ts'

const uploadNow = async (input: CommandInput<'undo'>): Promise<number> => {
  const nowMs = systemClock.wallMs()
  const isOn = !input.has('undo')
  const paths = input.operands.map((file) => pathsOf(process.platform).resolve(process.cwd(), file))
  const request = { isOn, paths }
  const { changed, until } = await callAgentOrJournal(
    journalFolder(input),
    'uploadPathsNow',
    request,
    (journal) => uploadPathsNow(journal, request, nowMs),
  )
  if (input.json)
    printJson(
      isOn ? { upload_now: true, until, paths: input.operands } : { upload_now: false, was_lifted: changed },
    )
  else if (!isOn)
    printLine(changed ? 'Uploads wait for the upload hours again.' : 'There is nothing to undo.')
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
    'Without a path, Sluice uploads all recordings outside the upload hours. With paths, it uploads only these recordings. The command applies until the next upload hours begin or until --undo, also across restarts. The command takes effect at once in a running agent.',
    'Sluice ignores only the upload hours. A pause, battery power, a full disk or a key problem still stops uploads. The general speed limit also applies.',
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

import { pathsOf } from '../../shared/paths/paths.ts'
import { plural } from '../../shared/words/format.ts'
import { actOnPaths } from '../agent/calls/path-commands.ts'
import { journalFolder } from './journal-folder.ts'
import { defineCommand } from './program/command.ts'
import type { CommandInput } from './program/command-input.ts'
import { callAgentOrJournal } from './running-agent.ts'
import { printJson, printLine } from './terminal.ts'

type Input = CommandInput<'all' | 'undo'>

const words = {
  dismiss: {
    done: 'dismissed',
    refused: 'does not need attention',
    none: 'No recording needs attention.',
  },
  undo: {
    done: 'dismissal undone',
    refused: 'was not dismissed, or its dismissal can no longer be undone',
    none: 'There is no dismissal to undo.',
  },
} as const

const dismiss = async (input: Input): Promise<number> => {
  if (input.has('all') === input.operands.length > 0)
    throw input.refuse('Name the path of a recording or give --all, but not both.')
  const { resolve } = pathsOf(process.platform)
  const typedPaths = new Map(input.operands.map((file) => [resolve(process.cwd(), file), file]))
  const request = {
    action: input.has('undo') ? ('undo-dismissal' as const) : ('dismiss' as const),
    paths: [...typedPaths.keys()],
  }
  const outcome = await callAgentOrJournal(journalFolder(input), 'actOnPaths', request, (journal) =>
    actOnPaths(journal, request),
  )
  const asTyped = (path: string) => typedPaths.get(path) ?? path
  const changedPaths = outcome.done.map(({ path }) => asTyped(path))
  const refusedPaths = outcome.refused.map(asTyped)
  const phrases = words[input.has('undo') ? 'undo' : 'dismiss']
  if (input.json) printJson({ undo: input.has('undo'), recordings: changedPaths, refused: refusedPaths })
  else {
    if (input.has('all'))
      printLine(
        changedPaths.length === 0
          ? phrases.none
          : `${plural(changedPaths.length, 'recording')}: ${phrases.done}.`,
      )
    for (const path of input.has('all') ? [] : changedPaths) printLine(`${path}: ${phrases.done}.`)
    for (const path of refusedPaths) printLine(`${path} ${phrases.refused}.`, process.stderr)
  }
  return refusedPaths.length > 0 ? 1 : 0
}

export const dismissCommand = defineCommand({
  name: 'dismiss',
  group: 'control',
  summary: 'dismiss recordings that need attention, or undo a dismissal',
  about: [
    'A failed or missing recording no longer counts as needing attention, but it is still not safe. A problem of the file itself, such as an empty file, stays dismissed until the file changes. A recording that Sluice still retries needs attention again if a retry fails. If a recording is not as expected, Sluice no longer asks you to check it. Nothing is deleted, on this PC or at the service. The button “Dismiss” in the window does the same.',
    'Works with and without a running agent. --undo works for dismissals of the last 90 days, unless the recording has changed since then.',
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
  options: {
    all: { summary: 'every recording that needs attention, or with --undo every dismissed recording' },
    undo: { summary: 'undo the dismissal' },
  },
  json: 'undo, recordings (the paths of the recordings that were changed) and refused (the paths of the recordings that were not changed).',
  exits: {
    0: 'done; a running agent applies the change at once',
    1: 'a recording could not be dismissed, or its dismissal could not be undone',
  },
  examples: [
    'sluice dismiss /data/takes/hall-3.mcap',
    'sluice dismiss --all',
    'sluice dismiss --undo /data/takes/hall-3.mcap',
  ],
  run: dismiss,
})

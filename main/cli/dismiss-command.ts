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
  dismiss: { done: 'dismissed', refused: 'does not need attention' },
  undo: { done: 'needs attention again', refused: 'has no dismissal that can be undone' },
} as const

const dismiss = async (input: Input): Promise<number> => {
  if (input.is('all') === input.operands.length > 0)
    throw input.refuse('Name the path of a recording, or give --all.')
  const { resolve } = pathsOf(process.platform)
  const typedBy = new Map(input.operands.map((file) => [resolve(process.cwd(), file), file]))
  const chosen = {
    action: input.is('undo') ? ('undo-dismissal' as const) : ('dismiss' as const),
    paths: [...typedBy.keys()],
  }
  const outcome = await callAgentOrJournal(journalFolder(input), 'actOnPaths', chosen, (journal) =>
    actOnPaths(journal, chosen),
  )
  const typed = (path: string) => typedBy.get(path) ?? path
  const done = outcome.done.map(({ path }) => typed(path))
  const refused = outcome.refused.map(typed)
  const phrases = words[input.is('undo') ? 'undo' : 'dismiss']
  if (input.json) printJson({ undo: input.is('undo'), recordings: done, refused })
  else {
    if (input.is('all')) printLine(`${plural(done.length, 'recording')}: ${phrases.done}.`)
    for (const path of input.is('all') ? [] : done) printLine(`${path}: ${phrases.done}.`)
    for (const path of refused) printLine(`${path} ${phrases.refused}.`, process.stderr)
  }
  return refused.length > 0 ? 1 : 0
}

export const dismissCommand = defineCommand({
  name: 'dismiss',
  group: 'control',
  summary: 'dismiss recordings that need attention, or undo a dismissal',
  about: [
    'A failed or missing recording no longer counts as needing attention, but it is still not safe. An unfinished recording is shown again if its next attempt fails. A recording that is not as expected is no longer shown for a check. Nothing is deleted, here or at the service. The window does the same under “Dismiss”.',
    'Works with and without a running agent. --undo works for dismissals of the last 90 days, unless the recording has changed since.',
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
  json: 'undo, recordings (the paths that were changed) and refused (the paths that were not changed).',
  exits: { 0: 'done; a running agent notices at once', 1: 'a path could not be dismissed' },
  examples: [
    'sluice dismiss /data/takes/hall-3.mcap',
    'sluice dismiss --all',
    'sluice dismiss --undo /data/takes/hall-3.mcap',
  ],
  run: dismiss,
})

import { type Paths, pathsOf } from '../../shared/paths/paths.ts'
import { actApplies } from '../../shared/status/recording-acts.ts'
import { plural } from '../../shared/words/format.ts'
import * as commands from '../agent/calls/commands.ts'
import type { Journal, Recording } from '../agent/journal/journal.ts'
import { recordingAt, withJournal } from './journal-commands.ts'
import { journalFolder } from './journal-folder.ts'
import { defineCommand } from './program/command.ts'
import type { CommandInput } from './program/command-input.ts'
import { printJson, printLine } from './terminal.ts'

type Input = CommandInput<'all' | 'undo'>
type Outcome = { readonly done: readonly string[]; readonly refused: readonly string[] }

/** All recordings at this path: newer content may have replaced a failed recording. */
const recordingsAt = (journal: Journal, file: string, paths: Paths): readonly Recording[] => {
  const whole = paths.resolve(process.cwd(), file)
  const current = recordingAt(journal, whole)
  const found = [...journal.views.supersededWithProblem(whole), ...(current === undefined ? [] : [current])]
  if (found.length === 0) throw new Error(`The journal has no recording ${file}.`)
  return found
}

/** The returned function reports whether it changed the recording. */
const changeFor = (journal: Journal, undo: boolean) => {
  if (undo) return (recording: Recording) => commands.undoDismissal(journal, recording)
  return (recording: Recording) => {
    if (!actApplies('dismiss', recording)) return false
    commands.dismiss(journal, recording)
    return true
  }
}

const applyToChosen = (journal: Journal, input: Input, paths: Paths): Outcome =>
  // One transaction: a running agent could change a recording between our read and our write.
  journal.transaction(() => {
    const undo = input.is('undo')
    const change = changeFor(journal, undo)
    if (input.is('all')) {
      const { recordings, activity } = journal
      const chosen = undo
        ? activity.dismissedIds().flatMap((id) => recordings.byId(id) ?? [])
        : journal.views.withProblem()
      return { done: chosen.filter(change).map(({ path }) => path), refused: [] }
    }
    const outcomes = input.operands.map((file) => ({
      file,
      done: recordingsAt(journal, file, paths).filter(change).length > 0,
    }))
    return {
      done: outcomes.filter(({ done }) => done).map(({ file }) => file),
      refused: outcomes.filter(({ done }) => !done).map(({ file }) => file),
    }
  })

const words = {
  dismiss: { done: 'dismissed', refused: 'does not need attention' },
  undo: { done: 'needs attention again', refused: 'has no dismissal that can be undone' },
} as const

const dismiss = (input: Input): number => {
  if (input.is('all') === input.operands.length > 0)
    throw input.refuse('Name the path of a recording, or give --all.')
  const { done, refused } = withJournal(journalFolder(input), (journal) =>
    applyToChosen(journal, input, pathsOf(process.platform)),
  )
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
  group: 'act',
  summary: 'dismiss recordings that need attention, or undo that',
  about: [
    'A recording that failed or is gone no longer counts as needing attention; it is still not safe. A recording that is unfinished is shown again if its next attempt fails. Nothing is deleted, here or at the service. The window does the same under “Dismiss”.',
    'Works with and without a running agent. --undo works for dismissals of the last 90 days, unless the recording has changed since.',
  ],
  data: 'own',
  operands: [
    {
      value: { kind: 'file', name: 'PATH' },
      summary: 'the path of a recording; several may be named',
      required: false,
      many: true,
    },
  ],
  options: {
    all: { summary: 'every recording that needs attention, or with --undo every dismissed one' },
    undo: { summary: 'undo the dismissal' },
  },
  json: 'undo, recordings (the paths that were changed) and refused (the paths that were not).',
  exits: { 0: 'done; a running agent notices at once', 1: 'one of the paths could not be dismissed' },
  examples: [
    'sluice dismiss /data/takes/hall-3.mcap',
    'sluice dismiss --all',
    'sluice dismiss --undo /data/takes/hall-3.mcap',
  ],
  run: dismiss,
})

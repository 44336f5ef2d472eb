import { type Paths, pathsOf } from '../../shared/paths/paths.ts'
import { actApplies } from '../../shared/status/recording-acts.ts'
import { plural } from '../../shared/words/format.ts'
import * as commands from '../agent/calls/commands.ts'
import type { Journal, Recording } from '../agent/journal/journal.ts'
import { withJournal } from './journal-commands.ts'
import { defineCommand } from './program/command.ts'
import type { Typed } from './program/command-input.ts'
import { printJson, printLine } from './terminal.ts'

type Asked = Typed<'all' | 'undo'>
type Outcome = { readonly done: readonly string[]; readonly refused: readonly string[] }

/** Every recording that has this path: newer content may have taken the place of one that failed. */
const recordingsAt = (journal: Journal, file: string, paths: Paths): readonly Recording[] => {
  const whole = paths.resolve(process.cwd(), file)
  const { recordings } = journal
  const current = recordings.currentByPath(whole) ?? recordings.otherSpellings(whole)[0]
  const found = [...journal.views.supersededWithProblem(whole), ...(current === undefined ? [] : [current])]
  if (found.length === 0) throw new Error(`The journal has no recording ${file}.`)
  return found
}

/** True for each recording that was changed. */
const actOn = (journal: Journal, undo: boolean) => {
  if (undo) return (recording: Recording) => commands.undoDismissal(journal, recording)
  return (recording: Recording) => {
    if (!actApplies('dismiss', recording)) return false
    commands.dismiss(journal, recording)
    return true
  }
}

const carryOut = (journal: Journal, typed: Asked, paths: Paths): Outcome =>
  // In one transaction: a running agent may change a recording between the look and the act.
  journal.transaction(() => {
    const undo = typed.is('undo')
    const act = actOn(journal, undo)
    if (typed.is('all')) {
      const { recordings, activity } = journal
      const chosen = undo
        ? activity.dismissedIds().flatMap((id) => recordings.byId(id) ?? [])
        : journal.views.withProblem()
      return { done: chosen.filter(act).map(({ path }) => path), refused: [] }
    }
    const outcomes = typed.operands.map((file) => ({
      file,
      done: recordingsAt(journal, file, paths).filter(act).length > 0,
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

const dismiss = (typed: Asked): number => {
  if (typed.is('all') === typed.operands.length > 0)
    throw typed.refuse('Name the path of a recording, or give --all.')
  const { done, refused } = withJournal(typed.data, (journal) =>
    carryOut(journal, typed, pathsOf(process.platform)),
  )
  const said = words[typed.is('undo') ? 'undo' : 'dismiss']
  if (typed.json) printJson({ undo: typed.is('undo'), recordings: done, refused })
  else {
    if (typed.is('all')) printLine(`${plural(done.length, 'recording')}: ${said.done}.`)
    for (const path of typed.is('all') ? [] : done) printLine(`${path}: ${said.done}.`)
    for (const path of refused) printLine(`${path} ${said.refused}.`, process.stderr)
  }
  return refused.length > 0 ? 1 : 0
}

export const dismissCommand = defineCommand({
  name: 'dismiss',
  group: 'act',
  summary: 'dismiss recordings that need attention, or undo that',
  about: [
    'A recording that failed or is gone no longer counts as needing attention; it is still not safe. A recording that is unfinished is shown again if its next attempt fails. Nothing is deleted, here or at the service. The window does the same under “Set aside”.',
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
  carryOut: dismiss,
})

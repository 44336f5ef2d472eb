import { hostname } from 'node:os'
import { systemClock } from '../../shared/clock/clock.ts'
import type { CallArgs } from '../../shared/ipc/ipc.ts'
import { pathsOf } from '../../shared/paths/paths.ts'
import { MAX_RECEIPT_BYTES } from '../../shared/status/receipt.ts'
import { plural } from '../../shared/words/format.ts'
import { makeReceipt } from '../agent/calls/make-receipt.ts'
import { openJournalForCommand, type ReceiptScope } from '../agent/journal/journal.ts'
import { folderToRead } from './journal-folder.ts'
import { defineCommand } from './program/command.ts'
import type { CommandInput } from './program/command-input.ts'
import { readFilesOrAgent } from './running-agent.ts'
import { writeOut } from './write-out.ts'

type Input = CommandInput<'path' | 'session' | 'since' | 'until' | 'format' | 'out'>

const scopeOf = (input: Input): ReceiptScope => {
  const [path, session] = [input.text('path'), input.text('session')]
  const period = input.text('since') ?? input.text('until')
  if ([path, session, period].filter((value) => value !== null).length !== 1)
    throw input.refuse(
      'Choose recordings: give only one of --path FILE, --session ID, or a period (--since DAY, --until DAY or both).',
    )
  if (path !== null) return { kind: 'path', path: pathsOf(process.platform).resolve(process.cwd(), path) }
  if (session !== null) return { kind: 'session', session }
  return { kind: 'period', ...periodOf(input) }
}

/** Only reads the journal, so the command works while an agent runs. */
const fromJournal = async (dataFolder: string, scope: ReceiptScope, format: 'json' | 'csv') => {
  const journal = openJournalForCommand(dataFolder, systemClock.wallMs, pathsOf(process.platform))
  try {
    return await makeReceipt(journal, scope, {
      station: hostname(),
      format,
      nowMs: systemClock.wallMs(),
      maxBytes: MAX_RECEIPT_BYTES,
    })
  } finally {
    journal.close()
  }
}

/** Converts the scope for the call to the agent. */
const callScope = (scope: ReceiptScope): CallArgs<'makeReceipt'>['of'] => {
  switch (scope.kind) {
    case 'ids':
      return { ids: [...scope.ids] }
    case 'path':
      return { path: scope.path }
    case 'session':
      return { session: scope.session }
    case 'period':
      return {
        since: new Date(scope.sinceMs ?? 0).toISOString(),
        until: new Date(scope.untilMs ?? systemClock.wallMs()).toISOString(),
      }
  }
}

const writeReceipt = async (input: Input): Promise<void> => {
  const [scope, format] = [scopeOf(input), formatOf(input)]
  const dataFolder = folderToRead(input)
  const { pieces, recordings } = await readFilesOrAgent(
    dataFolder,
    () => fromJournal(dataFolder, scope, format),
    async (call) => {
      const made = await call('makeReceipt', { of: callScope(scope), format })
      return { pieces: [made.text], recordings: made.recordings }
    },
  )
  // Write the file here, with the rights of the user. If the agent wrote the file, a member of `control.group`
  // could choose any path that the agent may write to.
  await writeOut(input.text('out'), pieces, plural(recordings, 'recording'))
}

export const instantOf = (ms: number | null): string | null =>
  ms === null ? null : new Date(ms).toISOString()

/** For the help of commands that the running agent can answer. */
export const MEMBERS_SENTENCE =
  'If this account may not read the data folder, the running agent answers. So members of control.group can use this command too.'

/** The period of `--since` and `--until`. Null for an option that is missing. */
export const periodOf = (
  input: CommandInput<'since' | 'until'>,
): { readonly sinceMs: number | null; readonly untilMs: number | null } => {
  const [sinceMs, untilMs] = [input.momentMs('since'), input.momentMs('until')]
  if (sinceMs !== null && untilMs !== null && untilMs <= sinceMs)
    throw input.refuse('--until is before --since.')
  return { sinceMs, untilMs }
}

/**
 * The format in `--format`. By default CSV if the file in `--out` ends in `.csv` and `--json` is missing, otherwise
 * JSON.
 */
export const formatOf = (input: CommandInput<'format' | 'out'>): 'json' | 'csv' => {
  const chosenFormat = input.choice('format', ['json', 'csv'])
  if (chosenFormat === 'csv' && input.json) throw input.refuse('--json cannot be combined with --format csv.')
  return chosenFormat ?? (!input.json && input.text('out')?.toLowerCase().endsWith('.csv') ? 'csv' : 'json')
}

export const periodOptions = {
  since: {
    value: { kind: 'text', name: 'DAY' },
    summary: 'only recordings found since this time: 2026-03-01, 2026-03-01T18:00, or 7d for seven days ago',
  },
  until: { value: { kind: 'text', name: 'DAY' }, summary: 'only recordings found until this day, inclusive' },
} as const

export const outOptions = {
  format: {
    value: { kind: 'choice', name: 'FORMAT', of: ['json', 'csv'] },
    summary: 'json or csv; json unless --out ends in .csv',
  },
  out: { value: { kind: 'file', name: 'FILE' }, summary: 'a new file (default: standard output)' },
} as const

export const receiptCommand = defineCommand({
  name: 'receipt',
  group: 'verify',
  summary: 'save a receipt for recordings',
  about: [
    'A receipt contains path, bytes, SHA-256, session, parts with ETags, times and request IDs of each recording, and a digest of all these values. It contains no key and no signed URL. Later, “sluice verify” compares the receipt with the disk and the service.',
    'CSV is for spreadsheets: one row per recording, without the parts and the digest. “sluice verify” needs the JSON file.',
    MEMBERS_SENTENCE,
  ],
  data: 'own',
  options: {
    path: { value: { kind: 'file', name: 'FILE' }, summary: 'the recording with this path' },
    session: { value: { kind: 'text', name: 'ID' }, summary: 'the recording of this session' },
    ...periodOptions,
    ...outOptions,
  },
  json: 'The receipt itself, as with --format json.',
  exits: { 0: 'written' },
  examples: [
    'sluice receipt --since 7d --out week-9.json',
    'sluice receipt --path /data/takes/hall-3.mcap --format csv',
  ],
  run: async (input) => {
    await writeReceipt(input)
    return 0
  },
})

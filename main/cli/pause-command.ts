import { systemClock } from '../../shared/clock/clock.ts'
import { momentInSentence } from '../../shared/words/format.ts'
import * as commands from '../agent/calls/commands.ts'
import { journalFolder } from './journal-folder.ts'
import { defineCommand } from './program/command.ts'
import type { CommandInput } from './program/command-input.ts'
import { callAgentOrJournal } from './running-agent.ts'
import { printJson, printLine } from './terminal.ts'

const unitMs = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const
const SPAN = /^(\d{1,5})(m|h|d)$/
/** The longest time that `--for` accepts. For a longer pause, the user can give `--until` or no option. */
const MAX_PAUSE_MS = 366 * unitMs.d

const untilMsOf = (input: CommandInput<'for' | 'until'>, nowMs: number): number | null => {
  const [span, until] = [input.text('for'), input.text('until')]
  if (until !== null && SPAN.test(until))
    throw input.refuse(`--until takes a time such as 2026-03-12T06:00. For a duration, use --for ${until}.`)
  const momentMs = input.momentMs('until')
  if (span !== null && momentMs !== null) throw input.refuse('Give --for or --until, not both.')
  if (momentMs !== null) {
    if (momentMs <= nowMs) throw input.refuse('--until is in the past.')
    return momentMs
  }
  if (span === null) return null
  const [, count = '', unit = ''] = SPAN.exec(span) ?? []
  const spanMs = Number(count) * (unitMs[unit as keyof typeof unitMs] ?? 0)
  if (spanMs <= 0 || spanMs > MAX_PAUSE_MS)
    throw input.refuse(
      `--for takes a time such as 30m, 2h or 1d, at most ${MAX_PAUSE_MS / unitMs.d}d, not "${span}".`,
    )
  return nowMs + spanMs
}

export const pauseCommand = defineCommand({
  name: 'pause',
  group: 'control',
  summary: 'pause uploads; new recordings are still queued',
  about: [
    'The pause lasts until “sluice resume” or the given time, also across restarts. It takes effect at once in a running agent.',
  ],
  data: 'own',
  options: {
    for: { value: { kind: 'text', name: 'TIME' }, summary: 'how long: 30m, 2h, 1d' },
    until: { value: { kind: 'text', name: 'TIME' }, summary: 'until when: 2026-03-12T06:00' },
  },
  json: 'paused (true) and paused_until (null: until resumed).',
  exits: { 0: 'paused' },
  examples: ['sluice pause', 'sluice pause --for 2h'],
  run: async (input) => {
    const nowMs = systemClock.wallMs()
    const untilMs = untilMsOf(input, nowMs)
    const until = untilMs === null ? null : new Date(untilMs).toISOString()
    await callAgentOrJournal(journalFolder(input), 'pause', { until }, (journal) => {
      journal.station.pause(untilMs)
      return null
    })
    if (input.json) printJson({ paused: true, paused_until: until })
    else
      printLine(
        until === null
          ? 'Uploads are paused until you resume them: sluice resume'
          : `Uploads are paused until ${momentInSentence(until, nowMs)}.`,
      )
    return 0
  },
})

export const resumeCommand = defineCommand({
  name: 'resume',
  group: 'control',
  summary: 'resume uploads',
  about: ['Takes effect at once in a running agent.'],
  data: 'own',
  options: {},
  json: 'paused (false) and was_paused.',
  exits: { 0: 'uploads are not paused' },
  examples: ['sluice resume'],
  run: async (input) => {
    const wasPaused = await callAgentOrJournal(journalFolder(input), 'resume', undefined, commands.resume)
    if (input.json) printJson({ paused: false, was_paused: wasPaused })
    else printLine(wasPaused ? 'Uploads continue.' : 'Uploads were not paused.')
    return 0
  },
})

import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Change } from '../../../../scripts/demo/changes.mjs'
import { createLineFormatter, formatFrame } from '../../../../scripts/demo/story.mjs'
import { type Standing, standings } from '../../../../shared/status/standing.ts'
import type { RecordingState } from '../../../../shared/status/status.ts'
import { DEMO_SENTENCE, DEMO_STATION } from '../../../../shared/words/demo-words.ts'
import { formatBytes, plural } from '../../../../shared/words/format.ts'
import { safeFacts, safeSentence, standingWords } from '../../../../shared/words/words.ts'

const language = {
  demoSentence: DEMO_SENTENCE,
  standingWords,
  safeFacts,
  safeSentence,
  standings,
  formatBytes,
  plural,
}
const standingOf: Partial<Record<RecordingState, Standing>> = {
  growing: 'recording',
  uploading: 'uploading',
  processing: 'at-service',
  processed: 'safe',
  failed: 'needs-attention',
  gone: 'needs-attention',
}
const change = (state: RecordingState, facts: Partial<Change> = {}): Change => ({
  at: '2026-03-12T21:30:00.000Z',
  path: '/recordings/arm-001.mcap',
  state,
  standing: standingOf[state] ?? 'waiting',
  session_id: null,
  bytes: 1_000_000,
  bytes_sent: 0,
  problem: null,
  ...facts,
})
const terminal = {
  columns: 80,
  rows: 24,
  cells: ['#', '.'],
  paint: (_: string, text: string) => text,
} as const
const rowOf = (recording: Change, columns = 80) =>
  formatFrame([recording], language, { ...terminal, columns })[3]

describe('the demo in a terminal', () => {
  it('shows the progress of a recording in the words of the window', () => {
    expect(rowOf(change('growing'))).toBe('  arm-001.mcap    1.0 MB  ....................  Recording')
    expect(rowOf(change('uploading', { bytes_sent: 500_000 }))).toBe(
      '  arm-001.mcap    1.0 MB  ##########..........  Uploading 50 %',
    )
    expect(rowOf(change('processed'))).toBe('  arm-001.mcap    1.0 MB  ####################  Safe')
  })

  it('shows a problem in place of the state, and never exceeds the width of the terminal', () => {
    const sentence =
      'The file cannot be read: permission denied, which is a long story to tell in a terminal.'
    const row = rowOf(change('queued', { problem: { sentence } }))
    expect(row).toContain('The file cannot be read')
    expect(row).toHaveLength(79)
    expect(rowOf(change('queued', { problem: { sentence } }), 200)).toHaveLength(79)
  })

  it('in a narrow terminal, shortens the bar and not the words', () => {
    expect(rowOf(change('uploading', { bytes_sent: 990_000 }), 46)).toMatch(/ {2}#+ {2}Uploading 99 %$/)
    expect(rowOf(change('processed'), 42)).toMatch(/ {2}Safe$/)
  })

  it('counts the recordings that are safe, that need attention, and that do not fit the screen', () => {
    const states = ['processed', 'processed', 'failed', 'gone', 'uploading'] as const
    const recordings = states.map((state, n) => change(state, { path: `/recordings/${n}.wav` }))
    const lines = formatFrame(recordings, language, { ...terminal, rows: 11 })
    expect(lines[1]).toBe('2 recordings need attention · 2 of 5 safe · 1 uploading')
    expect(lines[3]).toBe('  and 2 earlier recordings')
    expect(lines.length).toBeLessThan(11)
  })
})

it('without a terminal, the demo prints each standing of a recording once, and each quarter of an upload', () => {
  const formatLine = createLineFormatter(language)
  const printedLines = [
    change('growing'),
    change('growing', { bytes: 2_000_000 }),
    change('queued'),
    change('hashing'),
    change('ready'),
    change('uploading'),
    change('uploading', { bytes_sent: 240_000 }),
    change('uploading', { bytes_sent: 510_000 }),
    change('processed', { bytes_sent: 1_000_000 }),
  ].map((each) => formatLine(each)?.slice('00:00:00  '.length) ?? null)
  expect(printedLines).toEqual([
    'Recording        arm-001.mcap',
    null,
    'Waiting          arm-001.mcap   1.0 MB',
    null,
    null,
    'Uploading        arm-001.mcap     0 %  1.0 MB',
    null,
    'Uploading        arm-001.mcap    50 %  1.0 MB',
    'Safe             arm-001.mcap   1.0 MB',
  ])
})

it('the demo first shows that everything is simulated, in the terminal and in the name of its station', () => {
  expect(formatFrame([], language, terminal)[0]).toBe(DEMO_SENTENCE)
  const script = readFileSync(path.resolve(import.meta.dirname, '../../../../scripts/demo.mjs'), 'utf8')
  expect(script.toLowerCase()).toContain(DEMO_SENTENCE.toLowerCase())
  expect(script).toContain(`station_name: '${DEMO_STATION}'`)
})

it('the demo shows the next step for a failed recording', () => {
  const problem = { sentence: 'The recording is incomplete.', next: 'Check the recorder.' }
  const failed = change('failed', { problem, path: '/recordings/cut-off.mcap' })
  expect(formatFrame([failed], language, terminal).join('\n')).toContain('cut-off.mcap: Check the recorder.')
  expect(createLineFormatter(language)(failed)).toContain('Check the recorder.')
})

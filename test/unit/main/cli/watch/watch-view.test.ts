import { expect, test } from 'vitest'
import { problemOf } from '../../../../../main/agent/domain/problems.ts'
import type { WatchSnapshot, WatchSnapshotRow } from '../../../../../main/agent/status/watch-snapshot.ts'
import { closingText, plainLines, viewLines } from '../../../../../main/cli/watch/watch-view.ts'
import { standings } from '../../../../../shared/status/standing.ts'

const row = (path: string, standing: WatchSnapshotRow['standing'], sent: number): WatchSnapshotRow => ({
  path,
  take: null,
  state: 'uploading',
  standing,
  session_id: null,
  sha256: null,
  bytes: 2_600_000_000,
  bytes_sent: sent,
  settles_at: null,
  waits_for: null,
  parts_total: null,
  parts_sent: 0,
  problem: null,
  removed_at: null,
  moved_to: null,
})

const snapshot = (change: Partial<WatchSnapshot> = {}): WatchSnapshot => ({
  station: {
    headline: 'Uploading, done about 08:55',
    detail: '3 of 12 safe · 9 uploading',
    paused: false,
    paused_until: null,
    paused_since: null,
    upload_now: null,
    problem: null,
    conditions: [],
    test_key: false,
    silences: [],
    takes_to_check: { count: 0, newest: [] },
    staying: [],
    counts: {} as WatchSnapshot['station']['counts'],
    standings: Object.fromEntries(
      standings.map((name) => [name, 0]),
    ) as WatchSnapshot['station']['standings'],
    bytes_left: 0,
    bytes_per_second: null,
    forecast: { kind: 'nothing' },
    drive_space: [],
    folders: [],
    update: {
      version: null,
      mode: 'notify',
      channel: 'stable',
      checked_at: null,
      offered: null,
      last_result: null,
    },
  },
  isRunning: true,
  inProgress: [
    row('/rec/a.mcap', 'uploading', 1_300_000_000),
    row('/rec/b.mcap', 'at-service', 2_600_000_000),
  ],
  waiting: [row('/rec/c.mcap', 'waiting', 0)],
  problems: [],
  ...change,
})

const NOON_MS = Date.parse('2026-03-12T12:00:00Z')
const view = (state: WatchSnapshot, columns = 80, rows = 24) =>
  viewLines(state, NOON_MS, { columns, rows, hasColour: false })

test('shows the headline, progress, waiting recordings and how to quit, in this order', () => {
  const lines = view(snapshot())
  expect(lines.slice(0, 2)).toEqual(['Uploading, done about 08:55', '3 of 12 safe · 9 uploading'])
  const text = lines.join('\n')
  expect(text).toMatch(/Uploading +\[#{10}\.{10}\] +50 % +2\.6 GB +a\.mcap/)
  expect(text.indexOf('a.mcap')).toBeLessThan(text.indexOf('c.mcap'))
  expect(lines.at(-1)).toContain('q to quit')
})

test('shows a file as finishing once its writer has closed it; without a terminal, the line has no countdown', () => {
  const settling = {
    ...row('/rec/d.mcap', 'recording', 0),
    settles_at: new Date(NOON_MS + 6_000).toISOString(),
  }
  const state = snapshot({ inProgress: [settling] })
  expect(view(state).join('\n')).toMatch(/Finishing, 6 s .*d\.mcap/)
  expect(plainLines(state).get('recording /rec/d.mcap')).toMatch(/^Finishing +\/rec\/d\.mcap$/)
})

test('shows a problem with its next step even if the lists would fill the terminal', () => {
  const problem = problemOf('key-refused')
  const manyRows = Array.from({ length: 200 }, (_, at) => row(`/rec/${at}.mcap`, 'waiting', 0))
  const lines = view(snapshot({ waiting: manyRows, problems: [{ problem, count: 3, examples: [] }] }))
  expect(lines.length).toBeLessThanOrEqual(24)
  const text = lines.join(' ').replaceAll(/\s+/g, ' ')
  expect(text).toContain(problem.sentence)
  expect(text).toContain(problem.next)
  expect(text).toContain('(3 recordings)')
  expect(text).toMatch(/… and \d+ more waiting/)
})

test('names the folder of each problem, also without a terminal', () => {
  const problem = problemOf('folder-offline')
  const problems = ['/rec/lidar', '/rec/camera'].map((folder) => ({
    problem,
    count: 1,
    folder,
    examples: [],
  }))
  const state = snapshot({ problems })
  const shown = view(state).join(' ').replaceAll(/\s+/g, ' ')
  const printed = [...plainLines(state).values()]
  for (const folder of ['/rec/lidar', '/rec/camera']) {
    expect(shown).toContain(`${folder}: ${problem.sentence}`)
    expect(printed).toContainEqual(expect.stringContaining(`${folder}: ${problem.sentence}`))
  }
})

test.each([
  [80, 24],
  [120, 50],
  [40, 10],
  [20, 5],
])('fits a terminal of %i columns and %i rows, but is never narrower than 40 columns', (columns, rows) => {
  const name = `/rec/${'long-'.repeat(60)}\u001b[2J.mcap`
  const manyRows = Array.from({ length: 50 }, () => row(name, 'uploading', 1))
  const lines = view(snapshot({ inProgress: manyRows, waiting: manyRows, isRunning: false }), columns, rows)
  expect(lines.length).toBeLessThanOrEqual(Math.max(rows, 1))
  for (const line of lines) {
    expect(line.length).toBeLessThanOrEqual(Math.max(columns, 40))
    // A name must not move the cursor.
    expect(line).not.toContain('\u001b')
  }
})

test('without colour, the view has the same text', () => {
  const colourful = viewLines(snapshot(), NOON_MS, { columns: 80, rows: 24, hasColour: true })
  expect(colourful.join('\n')).toContain('\u001b[36mUploading\u001b[0m')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: terminal colour codes
  const withoutColour = colourful.map((line) => line.replaceAll(/\u001b\[\d+m/g, ''))
  expect(withoutColour).toEqual(view(snapshot()))
})

test('without a terminal, the line of an upload changes only at each 10 %', () => {
  const lineAt = (sent: number) =>
    plainLines(snapshot({ inProgress: [row('/rec/a.mcap', 'uploading', sent)] })).get('recording /rec/a.mcap')
  expect(lineAt(1_300_000_000)).toMatch(/^Uploading +50 % {2}\/rec\/a\.mcap$/)
  expect(lineAt(1_400_000_000)).toBe(lineAt(1_300_000_000))
})

test('the text that stays on the terminal leaves out only the line with the key to quit', () => {
  const closing = (isRunning: boolean, rows: number) =>
    closingText(snapshot({ isRunning }), NOON_MS, { columns: 80, rows, hasColour: false })
  expect(closing(false, 24)).toMatch(/\n\nThe agent is not running, so nothing is uploaded\.$/)
  expect(closing(true, 24)).toBe(view(snapshot()).slice(0, -2).join('\n'))
  expect(closing(true, 3).split('\n')).toEqual(view(snapshot(), 80, 3).slice(0, 2))
})

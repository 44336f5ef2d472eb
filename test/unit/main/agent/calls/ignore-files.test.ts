import { afterEach, beforeEach, expect, test } from 'vitest'
import { idsToIgnore, previewIgnore } from '../../../../../main/agent/calls/ignore-files.ts'
import { RecordingActions } from '../../../../../main/agent/calls/recording-actions.ts'
import { problemOf } from '../../../../../main/agent/domain/problems.ts'
import { standingOfRecording } from '../../../../../main/agent/domain/standing.ts'
import type { Journal, Recording } from '../../../../../main/agent/journal/journal.ts'
import { calls } from '../../../../../shared/ipc/ipc.ts'
import { linuxPaths } from '../../../../../shared/paths/paths.ts'
import { draftSettingsSchema } from '../../../../../shared/settings/settings.ts'
import type { ProblemCode } from '../../../../../shared/status/problem.ts'
import { openTempJournal, type TempJournal } from '../../../../support/temp-journal.ts'

const view = { service: 'https://api.example.com', sending: true }
const [folder, other] = draftSettingsSchema.parse({
  folders: [
    { path: '/rec', site: 'lab' },
    { path: '/other', site: 'lab' },
  ],
}).folders

let temp: TempJournal
let journal: Journal
beforeEach(() => {
  temp = openTempJournal(() => 1_000_000)
  journal = temp.journal
})
afterEach(() => temp.close())

let inode = 0
const addRecording = (path: string, problem: ProblemCode | null = null): Recording => {
  const owner = path.startsWith('/rec') ? folder : other
  if (owner === undefined) throw new Error('two folders are needed')
  inode += 1
  const identity = { device: '1', inode: `${inode}`, sizeBytes: 1, mtimeNs: '1', ctimeNs: '1' }
  const recording = journal.recordings.add({ path, identity }, owner, { findSessionFirst: false })
  if (problem !== null)
    journal.recordings.hold(recording, { attempts: 3, untilMs: 1_060_000, problem: problemOf(problem) })
  return readRecording(recording.id)
}
const readRecording = (id: number): Recording => {
  const recording = journal.recordings.byId(id)
  if (recording === null) throw new Error(`no recording ${id}`)
  return recording
}
const dependencies = () => ({ journal, paths: linuxPaths, view })

test('previews the matches of each pattern, and suggests a pattern that matches only recordings that need attention', async () => {
  const empty = addRecording('/rec/night_0001.tmp2', 'empty-file')
  addRecording('/rec/sub/night_0002.tmp2', 'empty-file')
  addRecording('/rec/night_0003.mcap')
  addRecording('/other/night_0004.tmp2', 'empty-file')
  const { proposals, suggested } = await previewIgnore(dependencies(), empty, '/rec')
  expect(proposals.map(({ pattern, matching, needAttention }) => [pattern, matching, needAttention])).toEqual(
    [
      ['**/night_0001.tmp2', 1, 1],
      ['**/night_*.tmp2', 2, 2],
      ['**/*.tmp2', 2, 2],
    ],
  )
  expect(suggested).toBe('**/night_*.tmp2')
  expect(proposals[1]?.names).toEqual(['night_0001.tmp2', 'sub/night_0002.tmp2'])
})

test('suggests the exact name if every wider pattern matches recordings in progress', async () => {
  const empty = addRecording('/rec/night_0001.mcap', 'empty-file')
  addRecording('/rec/night_0002.mcap')
  const { proposals, suggested } = await previewIgnore(dependencies(), empty, '/rec')
  expect(suggested).toBe('**/night_0001.mcap')
  expect(proposals[1]).toMatchObject({ pattern: '**/night_*.mcap', inProgress: 1, needAttention: 1 })
})

test('dismisses only matching recordings that need attention, and only undo restores them', async () => {
  const refusedRecording = addRecording('/rec/a_01.log', 'site-refused')
  const empty = addRecording('/rec/a_02.log', 'empty-file')
  const inProgress = addRecording('/rec/a_03.log')
  const inOtherFolder = addRecording('/other/a_04.log', 'empty-file')
  const actions = new RecordingActions(journal, () => view)
  const ids = await idsToIgnore(dependencies(), '/rec', '**/*.log')
  expect(ids).toEqual([refusedRecording.id, empty.id])
  const { acted, undo } = await actions.ignore(ids)
  expect(acted).toBe(2)
  // The agent retries held recordings when it starts and when the settings change, but not dismissed ones.
  journal.recordings.retryHeld(['settings', 'key', 'file', 'answer'])
  const standings = [refusedRecording, empty, inProgress, inOtherFolder].map(({ id }) =>
    standingOfRecording(readRecording(id), view),
  )
  expect(standings).toEqual(['dismissed', 'dismissed', 'recording', 'needs-attention'])
  expect(
    journal.work.growing().every(({ id, nextAttemptAtMs }) => !ids.includes(id) || nextAttemptAtMs > 1e15),
  ).toBe(true)
  await actions.undo(undo ?? 0)
  expect([readRecording(refusedRecording.id), readRecording(empty.id)]).toEqual([refusedRecording, empty])
})

test('the call `ignoreRecordings` refuses a pattern with an unsupported wildcard, and a pattern that is too long', () => {
  const check = (pattern: string) =>
    calls.ignoreRecordings.args.safeParse({ folder: '/rec', pattern }).success
  for (const pattern of ['**/a_*.log', 'sub/**', '**/?.log']) expect(check(pattern), pattern).toBe(true)
  for (const pattern of ['+(a|aa)+(a|aa)b', '{1..1000000}', '[a-z]*', '!a', `**/${'*a'.repeat(600)}`])
    expect(check(pattern), pattern).toBe(false)
})

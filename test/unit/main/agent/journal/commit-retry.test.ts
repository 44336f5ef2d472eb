import { afterEach, beforeEach, expect, test } from 'vitest'
import { done } from '../../../../../main/agent/domain/failure.ts'
import { RewritingRecorders } from '../../../../../main/agent/domain/rewriting-recorders.ts'
import type { RecordingEvent } from '../../../../../main/agent/domain/states.ts'
import { Follower } from '../../../../../main/agent/flow/follow/follower.ts'
import { Hasher } from '../../../../../main/agent/flow/hash/hasher.ts'
import type { Recording } from '../../../../../main/agent/journal/journal.ts'
import type { StageWorld } from '../../../../../main/agent/stage/stage.ts'
import { settingsSchema } from '../../../../../shared/settings/settings.ts'
import { openTempJournal, type TempJournal } from '../../../../support/temp-journal.ts'

/**
 * If one write of a batch throws, the whole batch runs a second time. State that a stage keeps in memory must still
 * count each event once.
 */

const NOW_MS = Date.parse('2026-03-12T07:42:00Z')
const identity = { device: '1', inode: '1', sizeBytes: 10, mtimeNs: '1', ctimeNs: '1' }
const settings = settingsSchema.parse({
  service: { base_url: 'http://127.0.0.1:1' },
  folders: [{ path: '/recordings', site: 'lab' }],
})

let temp: TempJournal
beforeEach(() => {
  temp = openTempJournal(() => NOW_MS)
})
afterEach(() => temp.close())

const addRecording = (name: string, ...events: readonly RecordingEvent[]): Recording => {
  const { recordings } = temp.journal
  const file = { path: `/recordings/${name}`, identity: { ...identity, inode: name } }
  let recording = recordings.add(file, settings.folders[0]!, { findSessionFirst: false })
  for (const event of events)
    recording = recordings.transition(recording.id, recording.state, event, {
      reason: 'test',
      patch: { sessionId: name },
    })!
  return recording
}

/** After this call, every commit shares its batch with a write that throws. */
const addFailingWrites = (): void => {
  const { journal } = temp
  const commit = journal.commit.bind(journal)
  journal.commit = (work) => {
    const commits = commit(work)
    const bug = commit(() => {
      throw new Error('a bug')
    })
    bug.catch(() => {})
    return commits
  }
}

const worldWith = (change: Partial<StageWorld>): StageWorld =>
  ({
    journal: temp.journal,
    clock: { wallMs: () => NOW_MS, monotonicMs: () => NOW_MS },
    random: () => 0,
    settings: () => settings,
    folderOf: () => settings.folders[0],
    progress: { hashed: () => {}, forget: () => {} },
    webhooks: { board: { listening: null, refused: null }, secrets: () => [] },
    station: { mayRequest: () => true },
    wake: () => {},
    guard: (_: string, work: () => void) => work(),
    ...change,
  }) as unknown as StageWorld

test('counts a rewrite by a recorder only once, even if the commit runs twice', async () => {
  const queued = addRecording('take.wav', { kind: 'settled' })
  const rewritingRecorders = new RewritingRecorders()
  addFailingWrites()
  const world = worldWith({
    files: { identify: async () => done(queued.identity) },
    runningHashes: {
      ids: () => [queued.id],
      partSizeOf: () => null,
      forget: () => {},
      finish: async () => done(null),
    },
  } as unknown as Partial<StageWorld>)
  const hasher = new Hasher(world, 'grown', { rewritingRecorders, claimed: new Set() })
  await hasher.step(new AbortController().signal)
  expect(temp.journal.recordings.byId(queued.id)?.state).toBe('queued')
  expect(rewritingRecorders.isRewriter(queued)).toBe(false)
  await hasher.step(new AbortController().signal)
  expect(rewritingRecorders.isRewriter(queued)).toBe(true)
})

test('a commit that runs twice does not lengthen the poll interval of a session', async () => {
  const waits: number[] = []
  for (const hasFailingWrite of [false, true]) {
    const id = hasFailingWrite ? 'beside-a-bug' : 'alone'
    const processing = addRecording(
      id,
      { kind: 'settled' },
      { kind: 'hash-started' },
      { kind: 'hashed' },
      { kind: 'session-opened' },
      { kind: 'completed' },
    )
    if (hasFailingWrite) addFailingWrites()
    const retrieveSession = async () =>
      done({ value: { id, status: 'processing', issues: [], channels: [] }, requestId: null })
    const world = worldWith({ service: () => ({ retrieveSession }) } as unknown as Partial<StageWorld>)
    const follower = new Follower(world)
    await follower.step(new AbortController().signal)
    await follower.close()
    waits.push(temp.journal.recordings.byId(processing.id)!.nextAttemptAtMs - NOW_MS)
  }
  expect(waits[0]).toBeGreaterThan(0)
  expect(waits[1]).toBe(waits[0])
})

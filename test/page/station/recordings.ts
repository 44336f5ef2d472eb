import { problemOf } from '../../../main/agent/domain/problems.ts'
import type { EventKind, RecordingEvent } from '../../../main/agent/domain/states.ts'
import type { Journal } from '../../../main/agent/journal/journal.ts'
import type { FolderSettings } from '../../../shared/settings/settings.ts'
import type { Problem } from '../../../shared/status/problem.ts'
import type { RecordingState, SessionSummary } from '../../../shared/status/status.ts'
import {
  busyStates,
  bytesOf,
  completionRequestId,
  folderOf,
  nameOf,
  PART_BYTES,
  RECORDING_DURATION_MS,
  reasonOf,
  sessionIdOf,
  stageDurationMs,
  transitions,
} from '../scripted/night.ts'
import type { Scene } from '../scripted/scene.ts'
import { inspectionOf } from './inspections.ts'

/** The recordings of a scene, written by the real journal with the times of a real night. */

const SERVICE = 'https://api.example.com'
const MINUTE_MS = 60_000
/** Only this many of the newest recordings have an inspection. No test opens the details of older recordings. */
const INSPECTED_RECORDINGS = 42

export type SceneRecording = {
  readonly state: RecordingState
  readonly problem?: Problem
  readonly isDismissed?: boolean
  readonly prioritised?: boolean
}

const withNextRetry = (problem: Problem, nowMs: number): Problem => ({
  ...problem,
  nextAt: new Date(nowMs + 4 * MINUTE_MS).toISOString(),
})

/** The problem of the recordings whose site the service refuses. */
const siteRefused = problemOf('site-refused', {
  detail: 'Hall 3 is being merged with another site.',
  requestId: 'req_01JX7V1S6D9E',
  param: 'site',
})

/** Extra facts for some recordings, by index. */
const busyFacts = (nowMs: number): Readonly<Record<number, Partial<SceneRecording>>> => ({
  3: { prioritised: true },
  4: {
    problem: withNextRetry(
      problemOf('storage-busy', {
        detail: 'SlowDown: please reduce your request rate.',
        requestId: 'req_01JX7V8W2L4P',
      }),
      nowMs,
    ),
  },
  7: { problem: withNextRetry(problemOf('completion-pending', { requestId: 'req_01JX7V6R9G1M' }), nowMs) },
  10: { problem: siteRefused },
  13: {
    problem: problemOf('processing-failed', {
      detail: 'The file’s index cannot be read.',
      requestId: 'req_01JX7V3K8Q2M',
    }),
  },
  16: { isDismissed: true },
})

/** The newest recordings of the busy scene, newest first as in the list. All older recordings are safe. */
const busyHead = (nowMs: number): readonly SceneRecording[] => {
  const facts = busyFacts(nowMs)
  return busyStates.map((state, index) => ({ state, ...facts[index] }))
}

const safeRecording: SceneRecording = { state: 'processed' }

/** More recordings than the station can upload in a morning. */
const backlog: readonly SceneRecording[] = [
  ...Array.from({ length: 12 }, (): SceneRecording => ({ state: 'ready' })),
  { state: 'uploading' },
  { state: 'uploading' },
  { state: 'processing' },
]

export const recordingsIn = (scene: Scene, nowMs: number): readonly SceneRecording[] => {
  const withSafeRest = (head: readonly SceneRecording[]) => [
    ...head,
    ...Array.from({ length: 42 - head.length }, () => safeRecording),
  ]
  switch (scene) {
    case 'busy':
    case 'many':
      return withSafeRest(busyHead(nowMs))
    case 'short-of-space':
      return withSafeRest([{ state: 'growing' }, ...backlog])
    case 'calm':
    case 'damaged':
      return withSafeRest([])
    case 'dismissed':
      return withSafeRest([
        safeRecording,
        { state: 'failed', isDismissed: true },
        safeRecording,
        { state: 'gone', isDismissed: true },
      ])
    case 'paused':
    case 'offline':
    case 'conditions':
    case 'keyless':
      // These scenes show a problem of the whole station, so no recording needs attention.
      return withSafeRest(
        busyHead(nowMs).map(({ state }) =>
          state === 'failed' || state === 'gone' ? safeRecording : { state },
        ),
      )
    case 'refused':
      return [{ state: 'ready', problem: siteRefused }, safeRecording]
    case 'silent':
    case 'empty':
    case 'first-run':
      return []
  }
}

const digestOf = (index: number, part: number): string =>
  (index * 1_000 + part + 1).toString(16).padStart(8, '0').repeat(8)

const sessionOf = (
  id: number,
  recording: {
    readonly name: string
    readonly site: string
    readonly bytes: number
    readonly foundAtMs: number
  },
  status: 'processed' | 'failed',
  nowMs: number,
): SessionSummary => ({
  id: sessionIdOf(id),
  status,
  site: recording.site,
  device: 'rig-07',
  filename: recording.name,
  bytes: recording.bytes,
  recordedAt: new Date(recording.foundAtMs).toISOString(),
  durationS: 600,
  channels: ['/camera/front', '/camera/wrist', '/imu', '/joint_states', '/tf'],
  segmentCount: status === 'processed' ? 38 : 0,
  issues: [
    {
      code: 'clock_offset_estimated',
      severity: 'info',
      channel: '/imu',
      detail: 'Clock offset of 12 ms was estimated and removed.',
    },
    {
      code: 'frames_dropped',
      severity: 'warning',
      channel: '/camera/wrist',
      detail: '14 of 22,620 frames are missing.',
    },
    ...(status === 'failed'
      ? [{ code: 'index_unreadable', severity: 'error' as const, detail: 'The file’s index cannot be read.' }]
      : []),
  ],
  createdAt: new Date(recording.foundAtMs + RECORDING_DURATION_MS).toISOString(),
  processedAt: new Date(nowMs).toISOString(),
})

export type JournalWriter = {
  readonly journal: Journal
  /** The journal's clock, set to the time of each entry. */
  readonly clock: { nowMs: number }
  readonly folders: readonly FolderSettings[]
}

/** Adds one recording and moves it through its stages to the target state. */
export const writeRecording = (
  { journal, clock, folders }: JournalWriter,
  index: number,
  target: SceneRecording,
  foundAtMs: number,
): number => {
  const nowMs = clock.nowMs
  const { recordings, parts } = journal
  const folder = folders[folderOf(index)] ?? folders[0]
  if (folder === undefined) throw new Error('a recording needs a folder')
  const bytes = bytesOf(index)
  const name = nameOf(index, folder.site, foundAtMs)
  const partCount = Math.ceil(bytes / PART_BYTES)
  const step = (
    kind: EventKind,
    from: RecordingState,
    atMs: number,
    patch = {},
    requestId: string | null = null,
  ) => {
    clock.nowMs = Math.round(Math.min(atMs, nowMs))
    recordings.transition(id, from, { kind } as RecordingEvent, {
      reason: reasonOf(kind, bytes),
      requestId,
      patch,
    })
  }
  const writtenNs = String(
    BigInt(Math.round(Math.min(foundAtMs + RECORDING_DURATION_MS, nowMs))) * 1_000_000n,
  )
  clock.nowMs = foundAtMs
  const identity = {
    device: '66306',
    inode: String(40_000 + index),
    sizeBytes: bytes,
    mtimeNs: writtenNs,
    ctimeNs: writtenNs,
  }
  const { id } = recordings.add({ path: `${folder.path}/${name}`, identity }, folder, {
    findSessionFirst: false,
  })
  const endState =
    target.state === 'failed' ? 'processing' : target.state === 'gone' ? 'queued' : target.state
  let state: RecordingState = 'growing'
  let atMs = foundAtMs
  for (const [from, kind, to] of transitions) {
    if (state === endState) break
    atMs += stageDurationMs(kind, bytes)
    if (kind === 'hashed') {
      parts.replace(
        id,
        Array.from({ length: partCount }, (_, part) => ({
          bytes: Math.min(PART_BYTES, bytes - part * PART_BYTES),
          sha256: digestOf(index, part),
        })),
      )
      step(kind, from, atMs, {
        sha256: digestOf(index, 999),
        partSizeBytes: PART_BYTES,
        partsTotal: partCount,
      })
    } else if (kind === 'session-opened')
      step(kind, from, atMs, { sessionId: sessionIdOf(id), service: SERVICE, createKey: `key-${id}` })
    else if (kind === 'parts-sent') {
      clock.nowMs = Math.round(Math.min(atMs, nowMs))
      for (let part = 1; part <= partCount; part += 1)
        parts.markSent(id, part, `"${part}"`, { guessed: false })
      step(kind, from, atMs)
    } else if (kind === 'completed') step(kind, from, atMs, {}, completionRequestId(index))
    else if (kind === 'processed')
      step(kind, from, atMs, {
        session: sessionOf(
          id,
          { name, site: folder.site, bytes, foundAtMs },
          'processed',
          Math.min(atMs, nowMs),
        ),
      })
    else step(kind, from, atMs)
    state = to
  }
  if (index < INSPECTED_RECORDINGS && state !== 'growing')
    journal.inspections.save(id, inspectionOf(index, foundAtMs))
  if (target.state === 'uploading') {
    clock.nowMs = Math.round(Math.min(atMs + 30_000, nowMs))
    const share = 0.2 + (index % 5) * 0.13
    for (let part = 1; part <= Math.floor(partCount * share); part += 1)
      parts.markSent(id, part, `"${part}"`, { guessed: false })
  }
  if (target.state === 'failed')
    step('processing-failed', 'processing', atMs + 60_000, {
      problem: target.problem ?? problemOf('processing-failed', { requestId: 'req_01JX7V3K8Q2M' }),
      session: sessionOf(id, { name, site: folder.site, bytes, foundAtMs }, 'failed', Math.min(atMs, nowMs)),
    })
  if (target.state === 'gone')
    step('vanished', 'queued', atMs + 60_000, { problem: problemOf('file-vanished') })
  const writtenRow = recordings.byId(id)
  if (target.problem !== undefined && target.state !== 'failed' && writtenRow !== null) {
    clock.nowMs = Math.round(Math.min(atMs + 5_000, nowMs))
    const untilMs = target.problem.nextAt === null ? nowMs + 3_600_000 : Date.parse(target.problem.nextAt)
    recordings.hold(writtenRow, { attempts: 1, untilMs, problem: target.problem })
  }
  if (target.prioritised === true) recordings.patch(id, { prioritised: true })
  clock.nowMs = nowMs
  return id
}

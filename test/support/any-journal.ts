import fc from 'fast-check'
import * as commands from '../../main/agent/calls/commands.ts'
import { problemOf } from '../../main/agent/domain/problems.ts'
import { type EventKind, nextState, type RecordingEvent } from '../../main/agent/domain/states.ts'
import type { Journal, Recording } from '../../main/agent/journal/journal.ts'
import { holdForRemovedFolder } from '../../main/agent/stage/removed-folders.ts'
import type { FolderSettings } from '../../shared/settings/settings.ts'
import { problemCodes } from '../../shared/status/problem.ts'
import { endings } from '../../shared/status/problem-terms.ts'
import { eventKinds } from './event-kinds.ts'

/** Generates random journals. The agent's own code writes them, so each of them could exist on a station. */

const DAY_MS = 86_400_000

const eventsUntilSent = ['settled', 'hash-started', 'hashed', 'session-opened', 'parts-sent'] as const
const eventPaths = {
  growing: [],
  waiting: ['settled', 'hash-started', 'hashed'],
  uploading: ['settled', 'hash-started', 'hashed', 'session-opened'],
  processing: [...eventsUntilSent, 'completed'],
  processed: [...eventsUntilSent, 'completed', 'processed'],
  failed: [...eventsUntilSent, 'completed', 'processing-failed'],
  gone: ['settled', 'vanished'],
} as const satisfies Record<string, readonly EventKind[]>

const anyChange = fc.oneof(
  fc.record({ kind: fc.constant('event' as const), event: fc.constantFrom(...eventKinds) }),
  fc.record({
    kind: fc.constant('problem' as const),
    // Not `take-held`: only an inspection raises it, and its card needs that inspection.
    code: fc.constantFrom(...problemCodes.filter((code) => code !== 'take-held')),
    // Not `folder`: only a removed folder raises such a problem, and only before any part is sent.
    endsBy: fc.constantFrom(...endings.filter((ending) => ending !== 'folder')),
  }),
  fc.record({
    kind: fc.constantFrom('dismiss' as const, 'retry', 'pause', 'supersede', 'move', 'grow', 'leave'),
  }),
)

type RecordingChange = typeof anyChange extends fc.Arbitrary<infer T> ? T : never

const fileStep = fc.record({
  kind: fc.constant('file' as const),
  folder: fc.nat({ max: 1 }),
  agoMs: fc.integer({ min: 0, max: 2 * DAY_MS }),
  bytes: fc.integer({ min: 0, max: 5_000 }),
  // The weights favour safe recordings and dismissed failures, as on a real station.
  eventPath: fc.oneof(
    { weight: 3, arbitrary: fc.constant('processed' as const) },
    { weight: 1, arbitrary: fc.constant('failed' as const) },
    { weight: 4, arbitrary: fc.constantFrom(...(Object.keys(eventPaths) as (keyof typeof eventPaths)[])) },
  ),
  changes: fc.oneof(
    { weight: 2, arbitrary: fc.constant<RecordingChange[]>([{ kind: 'dismiss' }]) },
    { weight: 3, arbitrary: fc.array(anyChange, { maxLength: 3 }) },
  ),
})

const stationStep = fc.oneof(
  fc.record({ kind: fc.constant('service' as const), name: fc.constantFrom('first', 'second') }),
  fc.record({ kind: fc.constantFrom('refuse-key' as const, 'trust-key', 'pause-station', 'resume-station') }),
)

export const anyStory = fc.array(
  fc.oneof({ weight: 5, arbitrary: fileStep }, { weight: 1, arbitrary: stationStep }),
  { minLength: 1, maxLength: 14 },
)
type Story = typeof anyStory extends fc.Arbitrary<infer T> ? T : never

const patchOf = (kind: EventKind, journal: Journal, id: number) => {
  switch (kind) {
    case 'session-opened':
    case 'same-content':
      return { sessionId: `ses_${id}`, service: journal.station.service() }
    case 'vanished':
      return { problem: problemOf('file-vanished') }
    case 'processing-failed':
    case 'deleted-at-service':
      return { problem: problemOf('processing-failed') }
    default:
      return {}
  }
}

/** Applies the event as a stage does. Skips an event that the state does not allow. */
const applyEvent = (journal: Journal, id: number, kind: EventKind): void => {
  const event = { kind } as RecordingEvent
  const recording = journal.recordings.byId(id)
  if (recording === null || nextState(recording.state, event) === null) return
  journal.recordings.transition(id, recording.state, event, {
    reason: kind,
    patch: patchOf(kind, journal, id),
  })
}

const applyChange = (
  journal: Journal,
  recording: Recording,
  change: RecordingChange,
  otherFolder: FolderSettings,
): void => {
  const { recordings } = journal
  const { id, identity } = recording
  switch (change.kind) {
    case 'event':
      applyEvent(journal, id, change.event)
      break
    case 'problem': {
      const problem = problemOf(change.code, { endsBy: change.endsBy })
      recordings.hold(recording, { attempts: 1, untilMs: 0, problem })
      break
    }
    case 'dismiss':
      commands.dismiss(journal, recording)
      break
    case 'retry':
      commands.retry(journal, recording)
      break
    case 'pause':
      commands.setPaused(journal, recording, !recording.paused)
      break
    case 'supersede':
      recordings.supersede(id)
      break
    case 'move':
      recordings.move(recording, { path: `${otherFolder.path}/moved-${id}.bin`, identity }, otherFolder)
      break
    case 'leave':
      if (['growing', 'queued', 'ready'].includes(recording.state)) holdForRemovedFolder(journal, recording)
      break
    case 'grow':
      recordings.patch(id, { identity: { ...identity, sizeBytes: identity.sizeBytes + 1_000 } })
      break
  }
}

export const writeStory = (
  journal: Journal,
  clock: { nowMs: number },
  folders: readonly [FolderSettings, FolderSettings],
  story: Story,
): void => {
  const nowMs = clock.nowMs
  journal.transaction(() => {
    journal.station.setService('first')
    story.forEach((step, index) => {
      switch (step.kind) {
        case 'file': {
          const folder = folders[step.folder] ?? folders[0]
          const identity = {
            device: '1',
            inode: `${index}`,
            sizeBytes: step.bytes,
            mtimeNs: '1',
            ctimeNs: '1',
          }
          clock.nowMs = nowMs - step.agoMs
          const filePath = `${folder.path}/${index}.bin`
          const { id } = journal.recordings.add({ path: filePath, identity }, folder, {
            findSessionFirst: false,
          })
          clock.nowMs = nowMs
          for (const kind of eventPaths[step.eventPath]) applyEvent(journal, id, kind)
          for (const change of step.changes) {
            const recording = journal.recordings.byId(id)
            if (recording !== null)
              applyChange(journal, recording, change, folders[1 - step.folder] ?? folders[1])
          }
          break
        }
        case 'service':
          journal.station.setService(step.name)
          break
        case 'refuse-key':
          journal.station.refuseKey('a key')
          break
        case 'trust-key':
          journal.station.trustKey('a key')
          break
        case 'pause-station':
          journal.station.pause(null)
          break
        case 'resume-station':
          journal.station.resume()
          break
      }
    })
  })
}

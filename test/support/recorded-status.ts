import { problemOf } from '../../main/agent/domain/problems.ts'
import type { EventKind, RecordingEvent } from '../../main/agent/domain/states.ts'
import type { Journal } from '../../main/agent/journal/journal.ts'
import { draftSettingsSchema } from '../../shared/settings/settings.ts'
import type { RecordingState } from '../../shared/status/status.ts'
import { AgentProcess } from './station.ts'

const SERVICE = 'https://api.example.com'

/** Adds a recording that the service has processed, or could not process. */
export const addRecording = (journal: Journal, name: string, end: 'processed' | 'processing-failed') => {
  const [folder] = draftSettingsSchema.parse({ folders: [{ path: '/rec', site: 'Hall 3' }] }).folders
  journal.station.setService(SERVICE)
  const identity = { device: '1', inode: name, sizeBytes: 1, mtimeNs: '1', ctimeNs: '1' }
  const { recordings } = journal
  const { id } = recordings.add({ path: `/rec/${name}`, identity }, folder!, { findSessionFirst: false })
  const step = (from: RecordingState, kind: EventKind) =>
    recordings.transition(id, from, { kind } as RecordingEvent, { reason: kind })
  const session = { sessionId: `ses_${name}`, service: SERVICE }
  step('growing', 'settled')
  step('queued', 'hash-started')
  step('hashing', 'hashed')
  recordings.transition(id, 'ready', { kind: 'session-opened' }, { reason: 'opened', patch: session })
  step('uploading', 'parts-sent')
  step('completing', 'completed')
  const patch = end === 'processed' ? {} : { problem: problemOf('processing-failed') }
  return recordings.transition(id, 'processing', { kind: end }, { reason: end, patch })
}

export const statusLines = async (data: string, ...options: readonly string[]) => {
  const status = new AgentProcess(['status', '--data', data, ...options], { keepOutput: true })
  await status.ended
  return status.stdout.trim().split('\n')
}

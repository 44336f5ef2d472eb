import { problemOf } from '../../../main/agent/domain/problems.ts'
import type { Journal } from '../../../main/agent/journal/journal.ts'
import { TRACK } from '../scripted/folders.ts'

const MINUTE_MS = 60_000

/** The history of the station before the scene. */
export const writeActivity = (journal: Journal, atMs: number): void => {
  const note = (minutesAgo: number, ...[what, about]: Parameters<Journal['activity']['note']>) =>
    journal.activity.note(what, { ...about, atMs: atMs - minutesAgo * MINUTE_MS })
  const since = (minutesAgo: number) => new Date(atMs - minutesAgo * MINUTE_MS).toISOString()
  note(2_000, { kind: 'started', version: '0.1.0' })
  note(1_300, {
    kind: 'settings-changed',
    change: {
      fields: ['transfer.windows', 'transfer.limit_mbit_per_s'],
      added: [],
      removed: [],
      folders: [],
    },
  })
  note(900, { kind: 'folder-lost', folder: TRACK.path, state: 'offline' })
  note(858, { kind: 'folder-back', folder: TRACK.path, since: since(900) })
  note(
    205,
    { kind: 'condition-began', condition: 'control', problem: problemOf('service-unreachable') },
    { requestId: null },
  )
  note(166, { kind: 'condition-ended', condition: 'control', since: since(205) })
  note(120, { kind: 'paused', until: null })
  note(95, { kind: 'resumed' })
  note(60, { kind: 'key-changed' })
}

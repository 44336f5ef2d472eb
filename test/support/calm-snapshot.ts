import type { Journal } from '../../main/agent/journal/journal.ts'
import { Outlook } from '../../main/agent/outlook/outlook.ts'
import type { SnapshotSources } from '../../main/agent/status/snapshot.ts'

/** A station without conditions, for tests that depend only on the journal. */
export const calmSources = {
  stop: null,
  conditions: [],
  reachable: true,
  allowance: { kind: 'open', limitMbitPerS: null },
  clockOffsetMs: 0,
  folderOf: () => undefined,
  folderState: () => ({ state: 'watching', problem: null, problems: [] }),
  silenceOf: () => null,
  hostName: 'capture-pc-07',
  driveSpace: [],
} as const satisfies Partial<SnapshotSources>

/** An outlook of a station that has sent nothing in the last minutes. */
export const quietOutlook = (journal: Journal): Outlook =>
  new Outlook(journal, () => ({ bytes: 0, seconds: 0, limitBytesPerSecond: null }))

import type { SnapshotSources } from '../../main/agent/status/snapshot.ts'

/** A station that nothing stops, for tests of what the journal alone decides. */
export const calmSources = {
  stop: null,
  conditions: [],
  reachable: true,
  allowance: { kind: 'open', limitMbitPerS: null },
  clockOffsetMs: 0,
  folderOf: () => undefined,
  folderState: () => ({ state: 'watching', problem: null }),
  silenceOf: () => null,
  hostName: 'capture-pc-07',
} as const satisfies Partial<SnapshotSources>

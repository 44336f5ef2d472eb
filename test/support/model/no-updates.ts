import type { UpdateWorld } from '../../../main/agent/ports/updates.ts'

const unused = async () => ({ ok: false, kind: 'unreachable', reason: 'is not used here' }) as const

/** A program of unknown version, which installs no updates. */
export const noUpdates: UpdateWorld = {
  program: null,
  source: { readIndex: unused, fetchFile: unused },
  installer: null,
  keys: () => [],
  folder: '/nowhere',
  partsInFlight: () => 0,
}

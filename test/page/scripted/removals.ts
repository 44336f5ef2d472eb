import type { RemovalPreview } from '../../../shared/ipc/removal-preview.ts'
import type { AfterUpload } from '../../../shared/settings/after-upload.ts'

const DAY_MS = 86_400_000
const RECORDING_BYTES = 4_820_000_000
/** One recording per night, for the last forty nights. */
const NIGHTS = 40

/** The agent's answer for a folder that recorded every night. */
export const previewRemovals = (folder: string, policy: AfterUpload, nowMs: number): RemovalPreview => {
  const days = policy.action === 'keep' ? NIGHTS : policy.days
  const count = Math.max(0, NIGHTS - days)
  const processedAt = (night: number) => new Date(nowMs - (NIGHTS - night) * DAY_MS).toISOString()
  return {
    blockedBy: null,
    count,
    bytes: count * RECORDING_BYTES,
    early: 0,
    checkedFirst: null,
    oldest: count === 0 ? null : processedAt(0),
    files: Array.from({ length: Math.min(20, count) }, (_, night) => ({
      path: `${folder}/${processedAt(night).slice(0, 10)}/rig-a.mcap`,
      bytes: RECORDING_BYTES,
      processedAt: processedAt(night),
    })),
    staying: 0,
    underTestKey: 0,
    nextAt: count === NIGHTS ? null : new Date(nowMs + DAY_MS).toISOString(),
  }
}

import type { Journal } from '../../../main/agent/journal/journal.ts'
import type { Scene } from '../scripted/scene.ts'

const BUCKET_MS = 10_000
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

/** Periods with uploads: from and to, in minutes before now. */
const uploadPeriodsIn = (scene: Scene): readonly (readonly [number, number])[] => {
  const night = [900, 120] as const
  switch (scene) {
    case 'busy':
    case 'many':
    case 'short-of-space':
      return [night, [8, 0]]
    case 'paused':
    case 'offline':
    case 'conditions':
    case 'keyless':
      return [night, [9, 1.4]]
    case 'calm':
    case 'damaged':
    case 'dismissed':
      return [night]
    case 'refused':
    case 'silent':
    case 'empty':
    case 'first-run':
      return []
  }
}

/** Writes simulated byte counts to the journal. Sets the clock back to the time of each count, and restores it. */
export const writeThroughput = (journal: Journal, clock: { nowMs: number }, scene: Scene): void => {
  const nowMs = clock.nowMs
  for (const [from, to] of uploadPeriodsIn(scene)) {
    // Old data needs only one entry per ten minutes, because no plot shows more detail.
    const stepMs = from > 60 ? 10 * MINUTE_MS : BUCKET_MS
    for (let agoMs = Math.min(from * MINUTE_MS, DAY_MS); agoMs > to * MINUTE_MS; agoMs -= stepMs) {
      clock.nowMs = Math.round(nowMs - agoMs)
      const wave = 26 + 7 * Math.sin(agoMs / 90_000) + 3 * Math.sin(agoMs / 23_000)
      journal.rates.countBytes(Math.round((wave * 1_000_000 * stepMs) / 1000))
    }
  }
  clock.nowMs = nowMs
}

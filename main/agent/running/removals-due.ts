import { leavesIfProcessedBy } from '../domain/keeping.ts'
import type { StageWorld } from './stage.ts'

type World = Pick<StageWorld, 'journal' | 'station' | 'settings' | 'clock'> & {
  readonly isWatching: (folder: string) => boolean
}

/** How many files the rules would take from their folders now, if nothing keeps them: what waits is not counted. */
export const removalsDue = ({ journal, station, settings, clock, isWatching }: World): number => {
  const service = journal.station.serviceInUse()
  if (service === null || !station.mayAsk() || journal.station.paused() !== null) return 0
  const nowMs = clock.wallMs()
  return (settings()?.folders ?? []).reduce((sum, { path, after_upload: policy }) => {
    if (policy.action === 'keep' || !isWatching(path)) return sum
    return sum + journal.removals.countDue(path, leavesIfProcessedBy(policy, nowMs, false), service)
  }, 0)
}

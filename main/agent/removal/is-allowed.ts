import { sameFile } from '../domain/file-identity.ts'
import { isSafeInJournal } from '../domain/removal-rules.ts'
import type { ServiceClient } from '../ports/service.ts'
import type { StageWorld } from '../stage/stage.ts'
import type { Due } from './poll-session.ts'
import { journalObjection } from './take-objection.ts'

type World = Pick<StageWorld, 'journal' | 'station' | 'settings' | 'paths' | 'service'>

/**
 * Checks again, just before a removal, whether the journal, the settings and the state of the station allow it. In the
 * meantime, the user may have deleted the session or paused the station.
 */
export const isRemovalAllowed = (
  world: World,
  { recording, folder, policy }: Due,
  service: ServiceClient,
  signal: AbortSignal,
): boolean => {
  const { journal, station, settings, paths } = world
  const now = journal.recordings.byId(recording.id)
  const folders = settings()?.folders ?? []
  const rule = folders.find(({ path }) => paths.same(path, folder.path))?.after_upload
  const innermost = paths.finder(folders.map(({ path }) => path))(recording.path)
  return (
    now !== null &&
    isSafeInJournal(now, journal.station.serviceInUse()) &&
    (now.take === null || journalObjection(world, folder, now.take) === null) &&
    (now.sessionId === null || !journal.deletions.has(now.sessionId)) &&
    paths.same(now.path, recording.path) &&
    now.sessionId === recording.sessionId &&
    sameFile(now.identity, recording.identity) &&
    journal.station.currentPause() === null &&
    station.mayRequest() &&
    // After a change of the key or address, earlier answers do not count.
    world.service() === service &&
    JSON.stringify(rule) === JSON.stringify(policy) &&
    // The rules of the innermost watched folder apply.
    paths.same(innermost ?? '', folder.path) &&
    !signal.aborted
  )
}

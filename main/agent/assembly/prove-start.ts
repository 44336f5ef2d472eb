import type { Paths } from '../../../shared/paths/paths.ts'
import { liveStates } from '../domain/states.ts'
import type { Journal } from '../journal/journal.ts'
import { isFirstStartOfVersion, lastVersionIn, type Proof, proveJournal } from '../journal/prove-journal.ts'
import type { Clock, Log } from '../ports/clock.ts'
import { noteStart } from '../station/station-life.ts'
import { stationOf } from '../status/status-report.ts'

type Start = {
  readonly dataFolder: string
  readonly version: string | null
  readonly clock: Pick<Clock, 'wallMs'>
  readonly paths?: Paths
}

/**
 * Does what an agent does first with its journal: notes the start, retries held recordings, lists the work of the
 * stages and reads the status.
 */
const runFirstSteps = (journal: Journal, version: string | null): void => {
  journal.transaction(() => {
    noteStart(journal, { version, damage: null })
    journal.recordings.retryHeld(['settings', 'key', 'file', 'answer'])
  })
  journal.work.inState(liveStates)
  journal.removals.retryHeld()
  stationOf(journal)
}

/** Proves on a copy of the journal that this version can use the journal. */
export const proveStart = ({ dataFolder, version, clock, paths }: Start): Proof =>
  proveJournal({
    dataFolder,
    wallMs: clock.wallMs,
    ...(paths === undefined ? {} : { paths }),
    firstSteps: (journal) => runFirstSteps(journal, version),
  })

class CannotTakeOverError extends Error {}

/** Throws, before anything is changed, if a new version cannot use the journal of the old one. */
export const proveFirstStart = (start: Start, log: Log): void => {
  const { dataFolder, version } = start
  if (!isFirstStartOfVersion(dataFolder, version)) return
  const proof = proveStart(start)
  switch (proof.kind) {
    case 'passed':
      log.info('the new version can use the journal', { version })
      return
    case 'skipped':
      log.warn('the new version was not tested on a copy of the journal', { why: proof.reason })
      return
    case 'failed': {
      const lastVersion = lastVersionIn(dataFolder)
      const program = version === null ? 'This Sluice' : `Sluice ${version}`
      throw new CannotTakeOverError(
        `${program} cannot use the journal of this station: ${proof.reason}. It has changed nothing. Install ${lastVersion === null ? 'the earlier version' : `version ${lastVersion}`} again, and report this to the makers of Sluice.`,
      )
    }
  }
}

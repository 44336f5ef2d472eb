import type { Failure } from '../domain/failure.ts'
import { decide } from '../domain/retry-policy.ts'
import { isDamaged, isDiskFull } from '../journal/journal-errors.ts'
import { isBusy } from '../journal/write-lock.ts'
import type { Log } from '../ports/clock.ts'
import type { StationConditions } from '../ports/station.ts'

/**
 * Hard case: The disk of the journal is full.
 * SQLite undoes the write. The station stops, shows a problem, and continues when there is free space.
 */

/** The cause of a thrown error. Expected failures are values and never thrown. */
export type ErrorCause = 'disk-full' | 'damaged' | 'busy' | 'bug'

/**
 * Reports an error. A full disk stops the station, and a damaged journal ends the process. Otherwise, Sluice only logs
 * the error, and the caller retries.
 */
export type ReportError = (error: unknown, caller: string) => ErrorCause

const failureOf = (error: unknown): Failure | null => {
  if (isDiskFull(error)) return { kind: 'journal-full' }
  return isDamaged(error) ? { kind: 'journal-damaged' } : null
}

/** False if the journal is locked or damaged, or its disk is full. */
export const isBug = (error: unknown): boolean => !isBusy(error) && failureOf(error) === null

export const createErrorReporter = (world: {
  readonly log: Log
  readonly station: Pick<StationConditions, 'raise'>
  readonly endProcess: () => void
  readonly journal: { readonly timesLocked: number }
}): ReportError => {
  let isDamageReported = false
  /** Callers may retry every second, so each of them logs the same lock only once. */
  const reportedLocks = new Map<string, number>()
  return (error, caller) => {
    const facts = { error: error instanceof Error ? error.stack : String(error) }
    const failure = failureOf(error)
    if (isBusy(error)) {
      const { timesLocked } = world.journal
      if (reportedLocks.get(caller) !== timesLocked)
        world.log.warn(`${caller}: cannot write now, because another program has locked the journal`)
      reportedLocks.set(caller, timesLocked)
      return 'busy'
    }
    if (failure === null) {
      world.log.error(`${caller}: unexpected error`, facts)
      return 'bug'
    }
    const decision = decide(failure, { attempt: 1, streak: 0, isSessionLost: false }, () => 0)
    if (decision.kind === 'condition') {
      world.station.raise(decision.condition, decision.code)
      return 'disk-full'
    }
    if (!isDamageReported) {
      isDamageReported = true
      world.log.error(`${caller}: the journal is damaged`, facts)
      world.endProcess()
    }
    return 'damaged'
  }
}

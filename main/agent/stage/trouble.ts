import type { Failure } from '../domain/failure.ts'
import { decide } from '../domain/retry-policy.ts'
import { isDamaged, isDiskFull } from '../journal/database.ts'
import { isBusy } from '../journal/write-lock.ts'
import type { Log } from '../ports/clock.ts'
import type { StationConditions } from '../ports/station.ts'

/** What a throw means. Expected failures are values; these four are all that is left. */
export type Trouble = 'disk-full' | 'damaged' | 'busy' | 'bug'

/**
 * Tells it wherever it surfaces: a full disk stops the station, a damaged journal the process. A journal that another
 * program holds stops nothing, nor does a bug.
 */
export type ReportError = (error: unknown, where: string) => Trouble

const failureOf = (error: unknown): Failure | null => {
  if (isDiskFull(error)) return { kind: 'journal-full' }
  return isDamaged(error) ? { kind: 'journal-damaged' } : null
}

export const createErrorReporter = (world: {
  readonly log: Log
  readonly station: Pick<StationConditions, 'raise'>
  readonly endProcess: () => void
  readonly journal: { readonly timesLocked: number }
}): ReportError => {
  let damageTold = false
  /** The clock and the folders meet it again every second: each logs it once. */
  const heldTold = new Map<string, number>()
  return (error, where) => {
    const facts = { error: error instanceof Error ? error.stack : String(error) }
    const failure = failureOf(error)
    if (isBusy(error)) {
      const { timesLocked } = world.journal
      if (heldTold.get(where) !== timesLocked)
        world.log.warn(`${where} tries again: another program holds the journal`)
      heldTold.set(where, timesLocked)
      return 'busy'
    }
    if (failure === null) {
      world.log.error(`${where} hit a bug`, facts)
      return 'bug'
    }
    const decision = decide(failure, { attempt: 1, streak: 0, lost: false }, () => 0)
    if (decision.kind === 'condition') {
      world.station.raise(decision.condition, decision.code)
      return 'disk-full'
    }
    if (!damageTold) {
      damageTold = true
      world.log.error(`${where} found the journal damaged`, facts)
      world.endProcess()
    }
    return 'damaged'
  }
}

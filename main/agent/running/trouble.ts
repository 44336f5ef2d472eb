import { isDamaged, isDiskFull } from '../journal/database.ts'
import type { Log } from '../ports.ts'

/** What a throw means. Expected failures are values; these three are all that is left. */
export type Trouble = 'disk-full' | 'damaged' | 'bug'

/** Tells it wherever it surfaces: a full disk stops the station, a damaged journal the process, a bug nothing. */
export type Tell = (error: unknown, where: string) => Trouble

export const createTell = (world: {
  readonly log: Log
  readonly diskFull: () => void
  readonly damaged: () => void
}): Tell => {
  let damageTold = false
  return (error, where) => {
    if (isDiskFull(error)) {
      world.diskFull()
      return 'disk-full'
    }
    const facts = { error: error instanceof Error ? error.stack : String(error) }
    if (!isDamaged(error)) {
      world.log.error(`${where} hit a bug`, facts)
      return 'bug'
    }
    if (!damageTold) {
      damageTold = true
      world.log.error(`${where} found the journal damaged`, facts)
      world.damaged()
    }
    return 'damaged'
  }
}

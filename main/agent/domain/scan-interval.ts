/**
 * Hard case: A large folder with nothing new.
 * Sluice scans it rarely enough to cost less than half a percent of the time, at least every 15 minutes, and
 * every 5 minutes on shares and on drives that never sent an event.
 */

const SOONEST_MS = 30_000

/** Which share of the time the look may take, and how long a file that nobody announced may go unnoticed at most. */
const bounds = {
  announced: { share: 0.003, mostMs: 15 * 60_000 },
  unproven: { share: 0.05, mostMs: 5 * 60_000 },
} as const

/**
 * How long after the last look a folder is looked through again although nothing was announced. Where the system has
 * been seen to announce changes, this only finds what an overflow lost: it may cost next to nothing. A share may
 * announce nothing at all: there the look is what finds new files.
 */
export const unaskedLookMs = (lookCostMs: number, announces: boolean): number => {
  const { share, mostMs } = announces ? bounds.announced : bounds.unproven
  return Math.min(mostMs, Math.max(SOONEST_MS, lookCostMs / share))
}

/** What a new file may wait for at most before it is found, where a look takes next to nothing. */
const SOONEST_HINTED_MS = 100
/** Looking at what is known already may take at most this share of the time when hints keep coming. */
const HINTED_SHARE = 0.1
/** A file of a drive of this PC is looked at in a tenth of this; what took longer was something else's turn. */
const MOST_PER_FILE_MS = 0.1

/** How long after the last look a folder is looked through again when something was announced. */
export const hintedLookMs = (lookCostMs: number): number =>
  Math.max(SOONEST_HINTED_MS, lookCostMs / HINTED_SHARE)

/**
 * What looking at the known files took. Time spent on new ones is no cost: where thousands arrive, more are on their
 * way. Nor is the time that the loop gave to others meanwhile, which on a share cannot be told from the network's.
 */
export const lookCostMs = (
  tookMs: number,
  {
    known,
    added,
    announces,
  }: { readonly known: number; readonly added: number; readonly announces: boolean },
): number => {
  const costMs = (tookMs * known) / Math.max(1, known + added)
  return announces ? Math.min(costMs, known * MOST_PER_FILE_MS) : costMs
}

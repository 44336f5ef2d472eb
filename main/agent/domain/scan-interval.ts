const SOONEST_MS = 30_000

/** Which share of the time the look may take, and how long a file that nobody announced may go unnoticed at most. */
const bounds = {
  announced: { share: 0.004, mostMs: 15 * 60_000 },
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

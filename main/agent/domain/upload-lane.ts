/** Smaller recordings spend more time on round trips than on sending. */
const SMALL_BYTES = 1024 * 1024
/** How many small recordings upload at the same time, besides the larger ones. They share the station's part slots. */
const SMALL_AT_ONCE = 16

/** Small recordings upload in their own lane, so that they do not wait hours for a large recording. */
export type UploadLane = {
  readonly name: 'small' | 'other'
  readonly sizes: { readonly fromBytes: number; readonly belowBytes: number }
  /** How many recordings of this lane upload at the same time. */
  readonly atOnce: (parallelRecordings: number) => number
  /** How many recordings of this lane the opener handles at the same time. */
  readonly openingAtOnce: number
}

/** The settings' limit for recordings at a time does not count small ones. */
export const isSmall = (sizeBytes: number): boolean => sizeBytes < SMALL_BYTES

export const uploadLanes: readonly UploadLane[] = [
  {
    name: 'other',
    sizes: { fromBytes: SMALL_BYTES, belowBytes: Number.MAX_SAFE_INTEGER },
    atOnce: (parallelRecordings) => parallelRecordings,
    openingAtOnce: 4,
  },
  {
    name: 'small',
    sizes: { fromBytes: 0, belowBytes: SMALL_BYTES },
    atOnce: () => SMALL_AT_ONCE,
    openingAtOnce: 8,
  },
]

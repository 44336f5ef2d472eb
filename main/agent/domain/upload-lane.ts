/** Below this size, round trips take longer than sending the bytes. */
const SMALL_BYTES = 1024 * 1024
/**
 * How many small recordings upload at the same time, in addition to the larger ones. The parts of both share the
 * station's part slots.
 */
const SMALL_AT_ONCE = 16

/**
 * Small recordings upload in a separate lane, so that thousands of them do not wait for a large recording that takes
 * hours.
 */
export type UploadLane = {
  readonly name: 'small' | 'other'
  readonly sizes: { readonly fromBytes: number; readonly belowBytes: number }
  /** How many recordings of this lane upload at the same time, given the settings. */
  readonly atOnce: (parallelRecordings: number) => number
  /** How many recordings of this lane the opener handles at the same time. */
  readonly openingAtOnce: number
}

/** Small recordings upload in addition to the number of recordings that the settings allow at a time. */
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

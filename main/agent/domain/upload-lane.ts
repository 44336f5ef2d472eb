/** The bytes of a smaller one take less time than the requests around them: it waits for round trips, not for the line. */
const SMALL_BYTES = 1024 * 1024
/** Under way at a time, beside the others: their parts still share the station's slots. */
const SMALL_AT_ONCE = 16

/** Small recordings pass the others by: thousands of them wait neither for one that takes hours, nor for each other. */
export type UploadLane = {
  readonly name: 'small' | 'other'
  readonly sizes: { readonly fromBytes: number; readonly belowBytes: number }
  /** How many are uploaded at a time, where the settings allow so many. */
  readonly atOnce: (parallelRecordings: number) => number
  /** How many creations are under way at a time. */
  readonly openingAtOnce: number
}

/** Uploads beside the number of recordings that the settings allow at a time. */
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

/** A station without measured speeds must upload for this long before it gets a forecast. */
export const FIRST_MEASUREMENT_SECONDS = 20

/** The forecast of when the upload queue will be empty. Estimated times are rounded. */
export type Forecast =
  | { readonly kind: 'nothing' }
  /** Uploads are stopped for an unknown time. */
  | { readonly kind: 'held'; readonly bytes: number; readonly by: 'pause' | 'problem' | 'hours' }
  /** The upload speed is not known yet. */
  | { readonly kind: 'unmeasured'; readonly bytes: number }
  | KnownForecast

export type KnownForecast = {
  readonly kind: 'known'
  /** Bytes still to upload, of recordings that need no attention. */
  readonly bytes: number
  /** The expected average speed while uploads are allowed. */
  readonly bytesPerSecond: number
  /** When uploads may start. Null if they may run now. */
  readonly startsAt: string | null
  /** Null: not within two weeks. */
  readonly doneAt: string | null
  /** The uploads end between `earliest` and `latest` with a probability of 80 %. Null: not within two weeks. */
  readonly earliest: string | null
  readonly latest: string | null
  /** The end of the current or next upload hours. Null if these do not end within two weeks. */
  readonly deadline: string | null
  /** Bytes that will not be uploaded by the deadline. */
  readonly bytesShort: number
  /** The recordings that miss the deadline: the upload queue from `fromId` on. */
  readonly atRisk: { readonly recordings: number; readonly fromId: number } | null
  /**
   * The same forecast with the recordings that usually still arrive before the deadline or, without a deadline, before
   * noon. Null if that volume is 0 or unknown.
   */
  readonly more: {
    /** Only the bytes that usually still arrive. */
    readonly bytes: number
    readonly bytesShort: number
    readonly doneAt: string | null
  } | null
}

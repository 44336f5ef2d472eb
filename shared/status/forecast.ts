/** When what waits will have been uploaded, as far as that can be known. Times are rounded: they are no promises. */
export type Forecast =
  | { readonly kind: 'nothing' }
  /** Something keeps all of it back, and nobody knows how long. */
  | { readonly kind: 'held'; readonly bytes: number; readonly by: 'pause' | 'problem' | 'hours' }
  /** Nothing was ever sent. */
  | { readonly kind: 'unmeasured'; readonly bytes: number }
  | KnownForecast

export type KnownForecast = {
  readonly kind: 'known'
  /** What waits and goes on by itself. */
  readonly bytes: number
  /** On average, until it is done. */
  readonly bytesPerSecond: number
  /** When sending begins; null where it may run now. */
  readonly startsAt: string | null
  /** Null: not within two weeks. */
  readonly doneAt: string | null
  /** Four times of five it is done between these. */
  readonly earliest: string | null
  readonly latest: string | null
  /** When the upload hours end that are now or next; null where they do not. */
  readonly deadline: string | null
  /** How much of it will not have been sent by then. */
  readonly bytesShort: number
  /** The recordings that will not: those from this one on, in the order in which they are sent. */
  readonly atRisk: { readonly recordings: number; readonly fromId: number } | null
  /** With what is usually still recorded until then, or until noon; null where that is not known, or nothing. */
  readonly more: {
    readonly bytes: number
    readonly bytesShort: number
    readonly doneAt: string | null
  } | null
}

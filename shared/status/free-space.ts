/** A drive or share that recordings are written to. */
export type DriveRoom = {
  /** `D:\`, `\\nas-02\capture`, or where it is mounted. */
  readonly name: string
  /** The watched folders on it. */
  readonly folders: readonly string[]
  /** Null where it has not answered yet. `answering` false: what is known is older than it should be. */
  readonly space: { readonly totalBytes: number; readonly freeBytes: number } | null
  readonly answering: boolean
  /** Of what is in the watched folders: processed by the service, and still there. Null until they were looked through. */
  readonly safeBytes: number | null
  readonly fills: Filling
  /** It will not last the night, or there is hardly any room left. */
  readonly low: boolean
}

export type Filling =
  /** It has not been watched for long enough, or does not answer. */
  | { readonly kind: 'unknown' }
  /** Nothing is usually recorded on it. */
  | { readonly kind: 'never' }
  | { readonly kind: 'tonight'; readonly at: string }
  /** Nights from now, at what is usually recorded and if nothing is deleted. */
  | { readonly kind: 'nights'; readonly nights: number }
  /** Beyond what can be said. */
  | { readonly kind: 'long' }

const WINDOW_MS = 8_000
const BUCKET_MS = 250
/** A shorter measurement gives no useful speed. */
const MIN_SPAN_MS = 1_000
/** On a slow connection, seconds pass between two chunks, so only a longer silence means that nothing is sent. */
const STALLED_AFTER_MS = 10_000
/** Between two parts, nothing is in flight for a moment, so only a longer silence means that nothing is sent. */
const IDLE_AFTER_MS = 2_000
/** A lower speed is not shown: after one of several uploads stops, its measured speed falls step by step to "1 B/s". */
const MIN_BYTES_PER_SECOND = 1_000

type Bucket = { readonly atMs: number; readonly bytes: Map<number, number> }

/**
 * Measures the speed of each upload and of all uploads over the same window, so the speeds add up. The speed is null
 * while nothing is sent: a number that falls to zero would look like a slow connection.
 */
export class SpeedMeter {
  #buckets: readonly Bucket[] = []
  #startedAtMs = 0
  #lastAtMs = Number.NEGATIVE_INFINITY

  add(id: number, bytes: number, nowMs: number): void {
    if (bytes <= 0) return
    if (nowMs - this.#lastAtMs > STALLED_AFTER_MS) {
      this.#buckets = []
      this.#startedAtMs = nowMs
    }
    this.#lastAtMs = nowMs
    const newest = this.#buckets.at(-1)
    if (newest !== undefined && nowMs - newest.atMs < BUCKET_MS)
      newest.bytes.set(id, (newest.bytes.get(id) ?? 0) + bytes)
    else
      this.#buckets = [
        ...this.#buckets.filter(({ atMs }) => nowMs - atMs <= WINDOW_MS),
        { atMs: nowMs, bytes: new Map([[id, bytes]]) },
      ]
  }

  /**
   * The speed of one upload, or of all. Null while nothing is sent, in the first second, and below
   * `MIN_BYTES_PER_SECOND`.
   */
  bytesPerSecond(nowMs: number, isInFlight: boolean, id?: number): number | null {
    const limitMs = isInFlight ? STALLED_AFTER_MS : IDLE_AFTER_MS
    if (nowMs - this.#lastAtMs > limitMs) return null
    const sinceMs = Math.max(this.#startedAtMs, this.#lastAtMs - WINDOW_MS)
    const spanMs = this.#lastAtMs - sinceMs
    if (spanMs < MIN_SPAN_MS) return null
    let totalBytes = 0
    for (const { atMs, bytes } of this.#buckets)
      if (atMs >= sinceMs)
        for (const [uploadId, sentBytes] of bytes)
          if (id === undefined || uploadId === id) totalBytes += sentBytes
    const speed = Math.round((totalBytes / spanMs) * 1000)
    return speed < MIN_BYTES_PER_SECOND ? null : speed
  }
}

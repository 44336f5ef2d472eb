/** Enough to see a gap at a glance, and small in the journal. */
const BUCKETS = 48

/**
 * Counts the messages of all channels in buckets of the same length. If a time does not fit, the buckets double in
 * length.
 */
export class TimeGrid {
  readonly #rows: Float64Array[] = []
  #originMs: number | null = null
  #widthMs = 1
  #lastUsedBucket = 0

  addRow(): Float64Array {
    const row = new Float64Array(BUCKETS)
    this.#rows.push(row)
    return row
  }

  count(row: Float64Array, atMs: number): void {
    const bucket = this.#bucketOf(atMs)
    row[bucket] = row[bucket]! + 1
  }

  /** Adds several messages of which only the first and the last time are known. */
  spread(row: Float64Array, count: number, fromMs: number, toMs: number): void {
    // First make the later time fit, because this may change the first bucket.
    this.#bucketOf(toMs)
    const first = this.#bucketOf(fromMs)
    const last = this.#bucketOf(toMs)
    const countPerBucket = count / (last - first + 1)
    for (let bucket = first; bucket <= last; bucket += 1) row[bucket] = row[bucket]! + countPerBucket
  }

  /** After `spread`, a bucket may hold less than one message. It counts as 1, because 0 would look like a gap. */
  countsOf(row: Float64Array): number[] {
    return [...row.subarray(0, this.#lastUsedBucket + 1)].map((count) =>
      count > 0 ? Math.max(1, Math.round(count)) : 0,
    )
  }

  #bucketOf(ms: number): number {
    this.#originMs ??= ms
    while (ms >= this.#originMs + BUCKETS * this.#widthMs) this.#double()
    if (ms < this.#originMs) this.#moveOrigin(ms)
    const bucket = Math.min(BUCKETS - 1, Math.floor((ms - this.#originMs) / this.#widthMs))
    this.#lastUsedBucket = Math.max(this.#lastUsedBucket, bucket)
    return bucket
  }

  #moveOrigin(ms: number): void {
    const origin = this.#originMs!
    const shift = () => Math.ceil((origin - ms) / this.#widthMs)
    while (this.#lastUsedBucket + shift() >= BUCKETS) this.#double()
    const buckets = shift()
    for (const row of this.#rows) {
      row.copyWithin(buckets, 0, BUCKETS - buckets)
      row.fill(0, 0, buckets)
    }
    this.#originMs = origin - buckets * this.#widthMs
    this.#lastUsedBucket += buckets
  }

  #double(): void {
    for (const row of this.#rows) {
      for (let i = 0; i < BUCKETS / 2; i += 1) row[i] = row[2 * i]! + row[2 * i + 1]!
      row.fill(0, BUCKETS / 2)
    }
    this.#widthMs *= 2
    this.#lastUsedBucket = Math.floor(this.#lastUsedBucket / 2)
  }
}

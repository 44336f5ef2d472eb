import type { Clock } from '../ports/clock.ts'
import type { ProgressBoard } from '../ports/station.ts'
import { SpeedMeter } from './speed-meter.ts'

type Live = { hashed: number; isUploading: boolean; readonly parts: Map<number, number> }

/** Live progress for display only; nothing depends on it. */
export class Progress implements ProgressBoard {
  readonly #clock: Clock
  readonly #live = new Map<number, Live>()
  readonly #speed = new SpeedMeter()
  readonly #settlesAtMs = new Map<number, number>()
  #unsaved = 0
  /** Since the agent started. */
  sentBytes = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  hashed(id: number, bytes: number): void {
    this.#of(id).hashed = bytes
  }

  sending(id: number, part: number, bytes: number): void {
    const live = this.#of(id)
    const gained = Math.max(bytes - (live.parts.get(part) ?? 0), 0)
    live.parts.set(part, bytes)
    live.isUploading = true
    this.#speed.add(id, gained, this.#clock.monotonicMs())
    this.#unsaved += gained
    this.sentBytes += gained
  }

  partDone(id: number, part: number): void {
    this.#live.get(id)?.parts.delete(part)
  }

  settling(id: number, atMs: number | null): void {
    if (atMs === null) this.#settlesAtMs.delete(id)
    // Rounded to seconds, because each pass computes a slightly different time.
    else this.#settlesAtMs.set(id, Math.round(atMs / 1000) * 1000)
  }

  /** When the unchanged file counts as finished. Null while it is being written. */
  settlesAtMs(id: number): number | null {
    return this.#settlesAtMs.get(id) ?? null
  }

  /** The files that nobody writes any more, in the order in which they stopped changing. */
  get settlingIds(): readonly number[] {
    return [...this.#settlesAtMs.keys()]
  }

  forget(id: number): void {
    this.#live.delete(id)
  }

  of(id: number): {
    readonly hashed: number
    readonly inFlight: number
    /** Null while nothing is sent. */
    readonly bytesPerSecond: number | null
    readonly parts: ReadonlySet<number>
  } | null {
    const live = this.#live.get(id)
    if (live === undefined) return null
    const inFlight = [...live.parts.values()].reduce((sum, bytes) => sum + bytes, 0)
    return {
      hashed: live.hashed,
      inFlight,
      bytesPerSecond: this.#speed.bytesPerSecond(this.#clock.monotonicMs(), live.parts.size > 0, id),
      parts: new Set(live.parts.keys()),
    }
  }

  /** The speed of all uploads together. Null while nothing is sent. */
  get bytesPerSecond(): number | null {
    const isInFlight = [...this.#live.values()].some(({ parts }) => parts.size > 0)
    return this.#speed.bytesPerSecond(this.#clock.monotonicMs(), isInFlight)
  }

  /** The recordings whose upload has sent bytes since it started, in the order of starting. */
  get uploadingIds(): readonly number[] {
    return [...this.#live].flatMap(([id, { isUploading }]) => (isUploading ? [id] : []))
  }

  /** Bytes since the last call, for the throughput chart. */
  takeUnsaved(): number {
    const bytes = this.#unsaved
    this.#unsaved = 0
    return bytes
  }

  #of(id: number): Live {
    const known = this.#live.get(id)
    if (known !== undefined) return known
    const live: Live = { hashed: 0, isUploading: false, parts: new Map() }
    this.#live.set(id, live)
    return live
  }
}

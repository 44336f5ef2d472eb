import type { Clock } from '../ports/clock.ts'
import type { ProgressBoard } from '../ports/station.ts'
import { SpeedMeter } from './speed-meter.ts'

type LiveProgress = { hashed: number; isUploading: boolean; readonly parts: Map<number, number> }

/** Live progress of hashing and uploading, for display. The updater also uses it, to wait for parts in flight. */
export class Progress implements ProgressBoard {
  readonly #clock: Clock
  readonly #live = new Map<number, LiveProgress>()
  readonly #speed = new SpeedMeter()
  readonly #settlesAtMs = new Map<number, number>()
  readonly #waitsFor = new Map<number, string>()
  #unsavedBytes = 0
  /** The bytes sent since the agent started. */
  sentBytes = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  hashed(id: number, bytes: number): void {
    this.#of(id).hashed = bytes
  }

  sending(id: number, part: number, bytes: number): void {
    const live = this.#of(id)
    const newBytes = Math.max(bytes - (live.parts.get(part) ?? 0), 0)
    live.parts.set(part, bytes)
    live.isUploading = true
    this.#speed.add(id, newBytes, this.#clock.monotonicMs())
    this.#unsavedBytes += newBytes
    this.sentBytes += newBytes
  }

  partDone(id: number, part: number): void {
    this.#live.get(id)?.parts.delete(part)
  }

  settling(id: number, atMs: number | null): void {
    if (atMs === null) this.#settlesAtMs.delete(id)
    // Round to seconds, because each step of the settler computes a slightly different time.
    else this.#settlesAtMs.set(id, Math.round(atMs / 1000) * 1000)
  }

  waitingFor(id: number, name: string | null): void {
    if (name === null) this.#waitsFor.delete(id)
    else this.#waitsFor.set(id, name)
  }

  waitsFor(id: number): string | null {
    return this.#waitsFor.get(id) ?? null
  }

  /** The files that wait for another file, with its name. */
  get waiting(): readonly (readonly [id: number, name: string])[] {
    return [...this.#waitsFor]
  }

  /**
   * The time at which the file will count as finished if it does not change. Null if unknown, for example while a
   * program writes it.
   */
  settlesAtMs(id: number): number | null {
    return this.#settlesAtMs.get(id) ?? null
  }

  /** The files with a known `settlesAtMs`, in the order in which it became known. */
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

  get partsInFlight(): number {
    return [...this.#live.values()].reduce((sum, { parts }) => sum + parts.size, 0)
  }

  /** The recordings whose upload has sent bytes, in the order of their start. */
  get uploadingIds(): readonly number[] {
    return [...this.#live].flatMap(([id, { isUploading }]) => (isUploading ? [id] : []))
  }

  /** The bytes sent since the last call. `UploadMeter` measures the upload speed with them. */
  takeUnsavedBytes(): number {
    const bytes = this.#unsavedBytes
    this.#unsavedBytes = 0
    return bytes
  }

  #of(id: number): LiveProgress {
    const existing = this.#live.get(id)
    if (existing !== undefined) return existing
    const live: LiveProgress = { hashed: 0, isUploading: false, parts: new Map() }
    this.#live.set(id, live)
    return live
  }
}

import type { Clock } from '../ports/clock.ts'
import type { ProgressBoard } from '../ports/station.ts'

/** Speeds are smoothed over this time, so the displayed numbers do not jump. */
const SMOOTHING_MS = 8_000

type Live = { hashed: number; readonly parts: Map<number, number>; rate: Rate }

/** Exponentially smoothed bytes per second. */
class Rate {
  #perSecond = 0
  #atMs: number
  #pending = 0

  constructor(atMs: number) {
    this.#atMs = atMs
  }

  add(bytes: number, nowMs: number): void {
    this.#pending += bytes
    if (nowMs - this.#atMs >= 250) this.#settle(nowMs)
  }

  perSecond(nowMs: number): number {
    if (nowMs - this.#atMs >= 250) this.#settle(nowMs)
    return this.#perSecond
  }

  #settle(nowMs: number): void {
    const elapsedMs = nowMs - this.#atMs
    const weight = 1 - Math.exp(-elapsedMs / SMOOTHING_MS)
    this.#perSecond += weight * ((this.#pending / elapsedMs) * 1000 - this.#perSecond)
    this.#pending = 0
    this.#atMs = nowMs
  }
}

/** Live progress for display only; nothing depends on it. */
export class Progress implements ProgressBoard {
  readonly #clock: Clock
  readonly #live = new Map<number, Live>()
  readonly #total: Rate
  #unsaved = 0
  /** Since the agent started. */
  sentBytes = 0

  constructor(clock: Clock) {
    this.#clock = clock
    this.#total = new Rate(clock.monotonicMs())
  }

  hashed(id: number, bytes: number): void {
    this.#of(id).hashed = bytes
  }

  sending(id: number, part: number, bytes: number): void {
    const live = this.#of(id)
    const gained = Math.max(bytes - (live.parts.get(part) ?? 0), 0)
    live.parts.set(part, bytes)
    const now = this.#clock.monotonicMs()
    live.rate.add(gained, now)
    this.#total.add(gained, now)
    this.#unsaved += gained
    this.sentBytes += gained
  }

  partDone(id: number, part: number): void {
    this.#live.get(id)?.parts.delete(part)
  }

  forget(id: number): void {
    this.#live.delete(id)
  }

  of(id: number): {
    readonly hashed: number
    readonly inFlight: number
    readonly bytesPerSecond: number
    readonly parts: ReadonlySet<number>
  } | null {
    const live = this.#live.get(id)
    if (live === undefined) return null
    const inFlight = [...live.parts.values()].reduce((sum, bytes) => sum + bytes, 0)
    return {
      hashed: live.hashed,
      inFlight,
      bytesPerSecond: live.rate.perSecond(this.#clock.monotonicMs()),
      parts: new Set(live.parts.keys()),
    }
  }

  get bytesPerSecond(): number {
    return this.#total.perSecond(this.#clock.monotonicMs())
  }

  /** Bytes of parts that the storage has not acknowledged. */
  get inFlight(): number {
    let bytes = 0
    for (const { parts } of this.#live.values()) for (const sent of parts.values()) bytes += sent
    return bytes
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
    const live: Live = { hashed: 0, parts: new Map(), rate: new Rate(this.#clock.monotonicMs()) }
    this.#live.set(id, live)
    return live
  }
}

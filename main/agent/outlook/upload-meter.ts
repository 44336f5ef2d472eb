import type { Sent } from '../domain/sending-rate.ts'
import type { Journal } from '../journal/journal.ts'
import type { Clock } from '../ports/clock.ts'

/** Of the line as it is now: long enough for the wind to even out, short enough to follow the evening. */
const RECENT_MS = 30 * 60_000
/** Where a line carries nothing for a while, that is noted this often. */
const NOTE_EVERY_S = 10
/** A tick that comes later than this was slept through. */
const LONGEST_TICK_S = 5

type Sample = { readonly atMs: number; readonly bytes: number; readonly seconds: number }

/** Measures what the line carries while there is something to send, and keeps it in the journal. */
export class SendingMeter {
  readonly #journal: Journal
  readonly #clock: Clock
  #samples: Sample[] = []
  #limitBytesPerSecond: number | null = null
  #tickedAtMs: number
  #unsaved = { bytes: 0, seconds: 0 }

  constructor(journal: Journal, clock: Clock) {
    this.#journal = journal
    this.#clock = clock
    this.#tickedAtMs = clock.monotonicMs()
  }

  /** `bytes` since the last tick; `sending`: nothing but the line held more of them back. */
  tick(bytes: number, sending: boolean, limitBytesPerSecond: number | null): void {
    const nowMs = this.#clock.monotonicMs()
    const passedS = Math.min((nowMs - this.#tickedAtMs) / 1000, LONGEST_TICK_S)
    this.#tickedAtMs = nowMs
    this.#limitBytesPerSecond = limitBytesPerSecond
    const seconds = sending || bytes > 0 ? passedS : 0
    this.#unsaved = { bytes: this.#unsaved.bytes + bytes, seconds: this.#unsaved.seconds + seconds }
    if (this.#unsaved.bytes === 0 && this.#unsaved.seconds < NOTE_EVERY_S) return
    this.#save(nowMs)
  }

  recent(): Sent {
    const sinceMs = this.#clock.monotonicMs() - RECENT_MS
    this.#samples = this.#samples.filter(({ atMs }) => atMs > sinceMs)
    const sum = (number: (sample: Sample) => number) =>
      this.#samples.reduce((all, sample) => all + number(sample), 0)
    return {
      bytes: sum(({ bytes }) => bytes),
      seconds: sum(({ seconds }) => seconds),
      limitBytesPerSecond: this.#limitBytesPerSecond,
    }
  }

  /** In one transaction: a second of sending costs one write of the disk. */
  #save(nowMs: number): void {
    const { bytes, seconds } = this.#unsaved
    this.#journal.transaction(() => {
      if (bytes > 0) this.#journal.station.countBytes(bytes)
      this.#journal.rates.sent({ bytes, seconds, limitBytesPerSecond: this.#limitBytesPerSecond })
    })
    this.#unsaved = { bytes: 0, seconds: 0 }
    const last = this.#samples.at(-1)
    // One for ten seconds is enough.
    if (last !== undefined && nowMs - last.atMs < NOTE_EVERY_S * 1000)
      this.#samples[this.#samples.length - 1] = {
        atMs: last.atMs,
        bytes: last.bytes + bytes,
        seconds: last.seconds + seconds,
      }
    else this.#samples.push({ atMs: nowMs, bytes, seconds })
  }
}

import type {
  Completeness,
  InspectedChannel,
  Inspection,
  InspectionWarning,
  InspectionWarningCode,
  RecordingFormat,
} from '../status/inspection.ts'
import { TimeGrid } from './time-grid.ts'

/** Further channels are counted but not listed. */
const MAX_CHANNELS = 1_000
/** Further channels are listed without a timeline. */
const MAX_TIMELINES = 100
const MAX_WARNINGS = 20
const MAX_TEXT = 300
/** The largest date of JavaScript. */
const MAX_TIME_MS = 8.64e15

/** The messages of one channel. */
export class ChannelTally {
  name: string
  type: string | null
  /** Overrides the counted messages, if the format stores their number. */
  messages: number | null = null
  /** Overrides the rate that follows from the times. */
  rateHz: number | null = null
  #counted = 0
  #firstMs: number | null = null
  #lastMs: number | null = null
  #largestGapMs = 0
  readonly #grid: TimeGrid
  readonly #row: Float64Array | null

  constructor(name: string, type: string | null, grid: TimeGrid, hasTimeline: boolean) {
    this.name = name
    this.type = type
    this.#grid = grid
    this.#row = hasTimeline ? grid.addRow() : null
  }

  at(ms: number): void {
    this.#note(1, ms, ms)
    if (this.#row !== null) this.#grid.count(this.#row, ms)
  }

  /** Adds messages if only their first and last time are known. */
  spread(count: number, fromMs: number, toMs: number): void {
    if (count <= 0 || toMs < fromMs) return
    this.#note(count, fromMs, toMs)
    if (count > 1) this.#largestGapMs = Math.max(this.#largestGapMs, (toMs - fromMs) / count)
    if (this.#row !== null) this.#grid.spread(this.#row, count, fromMs, toMs)
  }

  get firstMs(): number | null {
    return this.#firstMs
  }

  get lastMs(): number | null {
    return this.#lastMs
  }

  toChannel(startMs: number | null, endMs: number | null): InspectedChannel {
    const messages = this.messages ?? (this.#counted > 0 ? this.#counted : null)
    const [first, last] = [this.#firstMs, this.#lastMs]
    const spanS = first === null || last === null ? 0 : (last - first) / 1000
    const hasTimes = first !== null && last !== null && this.#counted > 1
    const edgeMs = hasTimes ? Math.max(first - (startMs ?? first), (endMs ?? last) - last) : 0
    return {
      name: cut(this.name),
      type: this.type === null ? null : cut(this.type),
      messages,
      rateHz: this.rateHz ?? (hasTimes && spanS > 0 ? rounded((this.#counted - 1) / spanS) : null),
      largestGapS: hasTimes ? rounded(Math.max(this.#largestGapMs, edgeMs) / 1000) : null,
      ...(this.#row === null || this.#counted === 0 ? {} : { timeline: this.#grid.countsOf(this.#row) }),
    }
  }

  #note(count: number, fromMs: number, toMs: number): void {
    this.#counted += count
    if (this.#lastMs !== null) this.#largestGapMs = Math.max(this.#largestGapMs, fromMs - this.#lastMs)
    this.#firstMs = Math.min(this.#firstMs ?? fromMs, fromMs)
    this.#lastMs = Math.max(this.#lastMs ?? toMs, toMs)
  }
}

/** The findings so far. An inspection that ends early keeps them. */
export class Findings {
  readonly format: RecordingFormat
  completeness: Completeness = 'unknown'
  /** Set if the format stores them; otherwise they follow from the messages. */
  startMs: number | null = null
  durationS: number | null = null
  /** The offset from file times to dates. Null: times count from the start of the file, and its date is unknown. */
  dateOffsetMs: number | null = 0
  #grid = new TimeGrid()
  readonly #channels = new Map<string | number, ChannelTally>()
  readonly #warnings: InspectionWarning[] = []
  #leftOut = 0
  #unlisted: ChannelTally | null = null

  constructor(format: RecordingFormat) {
    this.format = format
  }

  /** `key` identifies the channel within the file. */
  channel(key: string | number, name?: string, type?: string | null): ChannelTally {
    let known = this.#channels.get(key)
    if (known === undefined) {
      if (this.#channels.size >= MAX_CHANNELS) {
        this.#leftOut += 1
        this.#unlisted ??= new ChannelTally('', null, this.#grid, false)
        return this.#unlisted
      }
      const hasTimeline = this.#channels.size < MAX_TIMELINES
      known = new ChannelTally(name ?? `channel ${key}`, type ?? null, this.#grid, hasTimeline)
      this.#channels.set(key, known)
    }
    if (name !== undefined) known.name = name
    if (type !== undefined) known.type = type
    return known
  }

  /** Discards the channels before the file is read in a different way. */
  forgetChannels(): void {
    this.#channels.clear()
    this.#grid = new TimeGrid()
  }

  warn(code: InspectionWarningCode, detail: string, channel?: string): void {
    if (this.#warnings.length >= MAX_WARNINGS || this.#warnings.some((known) => known.detail === detail))
      return
    this.#warnings.push({
      code,
      detail: cut(detail),
      ...(channel === undefined ? {} : { channel: cut(channel) }),
    })
  }

  toInspection(): Inspection {
    if (this.#leftOut > 0)
      this.warn('too-many-channels', `The recording has more than ${MAX_CHANNELS} channels.`)
    const tallies = [...this.#channels.values()]
    const firsts = tallies.flatMap(({ firstMs }) => firstMs ?? [])
    const lasts = tallies.flatMap(({ lastMs }) => lastMs ?? [])
    const startMs = this.startMs ?? (firsts.length > 0 ? Math.min(...firsts) : null)
    const lastMs = lasts.length > 0 ? Math.max(...lasts) : null
    const durationS =
      this.durationS ?? (startMs !== null && lastMs !== null ? (lastMs - startMs) / 1000 : null)
    const endMs = startMs !== null && durationS !== null ? startMs + durationS * 1000 : null
    const dateOf = (ms: number | null) =>
      ms === null || this.dateOffsetMs === null ? null : date(ms + this.dateOffsetMs)
    return {
      format: this.format,
      completeness: this.completeness,
      startedAtMs: dateOf(startMs),
      endedAtMs: dateOf(endMs),
      durationS: durationS === null ? null : rounded(durationS),
      channels: tallies.map((tally) => tally.toChannel(startMs, endMs)),
      warnings: this.#warnings,
    }
  }
}

const date = (ms: number): number | null => (Math.abs(ms) > MAX_TIME_MS ? null : Math.trunc(ms))

/** Keeps six digits, so that the journal stays small. */
const rounded = (value: number): number | null => (Number.isFinite(value) ? Number(value.toFixed(6)) : null)

const cut = (text: string): string => (text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT)}…`)

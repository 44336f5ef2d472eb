import type {
  ChannelSignal,
  Completeness,
  InspectedChannel,
  Inspection,
  InspectionWarning,
  InspectionWarningCode,
  RecordingFormat,
} from '../status/inspection.ts'
import { cutText } from './text.ts'
import { TimeGrid } from './time-grid.ts'

/** Further channels are not listed, but a warning reports that there are more. */
export const MAX_CHANNELS = 1_000
/** Further channels have no timeline. */
const MAX_TIMELINES = 100
const MAX_WARNINGS = 20
/** The largest date of JavaScript. */
const MAX_TIME_MS = 8.64e15

/** The messages of one channel. */
export class ChannelTally {
  /** Limited in length, because a file may hold thousands of long names. */
  #name = ''
  #type: string | null = null
  /** If not null, replaces the counted number of messages. */
  messages: number | null = null
  /** If not null, replaces the rate that is calculated from the times. */
  rateHz: number | null = null
  signal: ChannelSignal | undefined
  #countedMessages = 0
  #firstMs: number | null = null
  #lastMs: number | null = null
  #largestGapMs = 0
  readonly #grid: TimeGrid
  readonly #row: Float64Array | null

  constructor(name: string, type: string | null, grid: TimeGrid, hasTimeline: boolean) {
    this.rename(name)
    this.setType(type)
    this.#grid = grid
    this.#row = hasTimeline ? grid.addRow() : null
  }

  rename(name: string): void {
    this.#name = cutText(name)
  }

  setType(type: string | null): void {
    this.#type = type === null ? null : cutText(type)
  }

  addMessage(ms: number): void {
    this.#countMessages(1, ms, ms)
    if (this.#row !== null) this.#grid.count(this.#row, ms)
  }

  /** Adds several messages of which only the first and the last time are known. */
  addMessages(count: number, fromMs: number, toMs: number): void {
    if (count <= 0 || toMs < fromMs) return
    this.#countMessages(count, fromMs, toMs)
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
    const messages = this.messages ?? (this.#countedMessages > 0 ? this.#countedMessages : null)
    const [first, last] = [this.#firstMs, this.#lastMs]
    const spanS = first === null || last === null ? 0 : (last - first) / 1000
    const hasTimes = first !== null && last !== null && this.#countedMessages > 1
    const edgeMs = hasTimes ? Math.max(first - (startMs ?? first), (endMs ?? last) - last) : 0
    return {
      name: this.#name,
      type: this.#type,
      messages,
      rateHz:
        this.rateHz ??
        (hasTimes && spanS > 0 ? roundToSixDecimals((this.#countedMessages - 1) / spanS) : null),
      largestGapS: hasTimes ? roundToSixDecimals(Math.max(this.#largestGapMs, edgeMs) / 1000) : null,
      ...(this.#row === null || this.#countedMessages === 0
        ? {}
        : { timeline: this.#grid.countsOf(this.#row) }),
      ...(this.signal === undefined ? {} : { signal: this.signal }),
    }
  }

  #countMessages(count: number, fromMs: number, toMs: number): void {
    this.#countedMessages += count
    if (this.#lastMs !== null) this.#largestGapMs = Math.max(this.#largestGapMs, fromMs - this.#lastMs)
    this.#firstMs = Math.min(this.#firstMs ?? fromMs, fromMs)
    this.#lastMs = Math.max(this.#lastMs ?? toMs, toMs)
  }
}

/** The findings so far. An inspection that ends early keeps them. */
export class Findings {
  readonly format: RecordingFormat
  completeness: Completeness = 'unknown'
  /** Start and duration, if the format stores them. Otherwise they follow from the messages. */
  startMs: number | null = null
  durationS: number | null = null
  /**
   * True if the inspection reached its time limit before it had read all messages. The recording then continues after
   * the last message that was read.
   */
  hasMoreMessages = false
  /** A time in the file plus this offset is a date. Null if the times count from a start with an unknown date. */
  dateOffsetMs: number | null = 0
  #grid = new TimeGrid()
  readonly #channels = new Map<string | number, ChannelTally>()
  readonly #warnings: InspectionWarning[] = []
  #unlistedCount = 0
  #unlisted: ChannelTally | null = null

  constructor(format: RecordingFormat) {
    this.format = format
  }

  /** `key` identifies the channel within the file. It must be short: the findings keep it. */
  channel(key: string | number, name?: string, type?: string | null): ChannelTally {
    let tally = this.#channels.get(key)
    if (tally === undefined) {
      if (this.#channels.size >= MAX_CHANNELS) {
        this.#unlistedCount += 1
        this.#unlisted ??= new ChannelTally('', null, this.#grid, false)
        return this.#unlisted
      }
      const hasTimeline = this.#channels.size < MAX_TIMELINES
      tally = new ChannelTally(name ?? `channel ${key}`, type ?? null, this.#grid, hasTimeline)
      this.#channels.set(key, tally)
    }
    if (name !== undefined) tally.rename(name)
    if (type !== undefined) tally.setType(type)
    return tally
  }

  /** Discards the channels found so far, so that the file can be read again in a different way. */
  forgetChannels(): void {
    this.#channels.clear()
    this.#grid = new TimeGrid()
    this.#unlisted = null
    this.#unlistedCount = 0
  }

  warn(code: InspectionWarningCode, detail: string, channel?: string): void {
    if (this.#warnings.length >= MAX_WARNINGS || this.#warnings.some((warning) => warning.detail === detail))
      return
    this.#warnings.push({
      code,
      detail: cutText(detail),
      ...(channel === undefined ? {} : { channel: cutText(channel) }),
    })
  }

  toInspection(): Inspection {
    if (this.#unlistedCount > 0)
      this.warn('too-many-channels', `The recording has more than ${MAX_CHANNELS} channels.`)
    const tallies = [...this.#channels.values()]
    const firsts = tallies.flatMap(({ firstMs }) => firstMs ?? [])
    const lasts = tallies.flatMap(({ lastMs }) => lastMs ?? [])
    const startMs = this.startMs ?? (firsts.length > 0 ? Math.min(...firsts) : null)
    const lastMs = lasts.length > 0 ? Math.max(...lasts) : null
    const isSpanKnown = startMs !== null && lastMs !== null && !this.hasMoreMessages
    const durationS = this.durationS ?? (isSpanKnown ? (lastMs - startMs) / 1000 : null)
    const endMs = startMs !== null && durationS !== null ? startMs + durationS * 1000 : null
    const dateOf = (ms: number | null) =>
      ms === null || this.dateOffsetMs === null ? null : validDateMs(ms + this.dateOffsetMs)
    return {
      format: this.format,
      completeness: this.completeness,
      startedAtMs: dateOf(startMs),
      endedAtMs: dateOf(endMs),
      durationS: durationS === null ? null : roundToSixDecimals(durationS),
      channels: tallies.map((tally) => tally.toChannel(startMs, endMs)),
      warnings: this.#warnings,
    }
  }
}

const validDateMs = (ms: number): number | null => (Math.abs(ms) > MAX_TIME_MS ? null : Math.trunc(ms))

/** Limits the digits, so that the journal stays small. */
const roundToSixDecimals = (value: number): number | null =>
  Number.isFinite(value) ? Number(value.toFixed(6)) : null

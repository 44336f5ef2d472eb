import type { TransferSettings, UploadWindow } from '../../../shared/settings/settings.ts'

/** The weekly upload hours (`transfer.windows`), in the PC's local time. Without them, uploads may always run. */

const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const
const MINUTES_PER_DAY = 24 * 60

const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3))

const covers = (window: UploadWindow, day: number, minute: number): boolean => {
  const from = minutesOf(window.from)
  const to = minutesOf(window.to)
  const isOn = (index: number) => window.days.includes(DAYS[(index + 7) % 7]!)
  if (from === to) return isOn(day)
  if (from < to) return isOn(day) && minute >= from && minute < to
  // The window passes midnight: the morning belongs to yesterday's window.
  return (isOn(day) && minute >= from) || (isOn(day - 1) && minute < to)
}

const openWindow = (windows: readonly UploadWindow[], at: Date): UploadWindow | null =>
  windows.find((window) => covers(window, at.getDay(), at.getHours() * 60 + at.getMinutes())) ?? null

export type Allowance =
  | { readonly kind: 'open'; readonly limitMbitPerS: number | null }
  | { readonly kind: 'closed'; readonly opensAtMs: number | null }

export const allowanceAt = (
  transfer: Pick<TransferSettings, 'windows' | 'limit_mbit_per_s'>,
  atMs: number,
): Allowance => {
  const defaultLimit = transfer.limit_mbit_per_s ?? null
  if (transfer.windows.length === 0) return { kind: 'open', limitMbitPerS: defaultLimit }
  const window = openWindow(transfer.windows, new Date(atMs))
  if (window !== null) return { kind: 'open', limitMbitPerS: window.limit_mbit_per_s ?? defaultLimit }
  // Try each minute of the next eight days. This is cheap, and exact even if the clocks change.
  const startMs = Math.ceil(atMs / 60_000) * 60_000
  for (let step = 0; step <= 8 * MINUTES_PER_DAY; step += 1) {
    const candidateMs = startMs + step * 60_000
    if (openWindow(transfer.windows, new Date(candidateMs)) !== null)
      return { kind: 'closed', opensAtMs: candidateMs }
  }
  return { kind: 'closed', opensAtMs: null }
}

/** A period in which uploads may run, with one speed limit. */
export type OpenSpan = {
  readonly fromMs: number
  readonly toMs: number
  readonly limitMbitPerS: number | null
}

/** All UTC offsets and all changes for daylight saving are multiples of this. */
const QUARTER_MINUTES = 15

const commonDivisor = (a: number, b: number): number => (b === 0 ? a : commonDivisor(b, a % b))

/**
 * The periods from `fromMs` until `untilMs` in which uploads may run. A different speed limit starts a new period.
 * Until `hoursIgnoredUntilMs`, uploads ignore the upload hours, because a user requested it.
 */
export const openSpans = (
  transfer: Pick<TransferSettings, 'windows' | 'limit_mbit_per_s'>,
  fromMs: number,
  untilMs: number,
  hoursIgnoredUntilMs = 0,
): readonly OpenSpan[] => {
  const { windows } = transfer
  const defaultLimit = transfer.limit_mbit_per_s ?? null
  if (windows.length === 0) return [{ fromMs, toMs: untilMs, limitMbitPerS: defaultLimit }]
  // No window opens or closes between two steps, even if the clocks change.
  const stepMs =
    windows
      .flatMap(({ from, to }) => [minutesOf(from), minutesOf(to)])
      .reduce(commonDivisor, QUARTER_MINUTES) * 60_000
  const spans: OpenSpan[] = []
  for (let atMs = Math.floor(fromMs / stepMs) * stepMs; atMs < untilMs; atMs += stepMs) {
    const window = openWindow(windows, new Date(atMs))
    if (window === null && atMs >= hoursIgnoredUntilMs) continue
    const limitMbitPerS = window?.limit_mbit_per_s ?? defaultLimit
    const toMs = Math.min(atMs + stepMs, untilMs)
    const last = spans.at(-1)
    if (last?.toMs === atMs && last.limitMbitPerS === limitMbitPerS)
      spans[spans.length - 1] = { ...last, toMs }
    else spans.push({ fromMs: Math.max(atMs, fromMs), toMs, limitMbitPerS })
  }
  return spans
}

import { formatWeekday } from './format.ts'

/** A night belongs to the day it begins on, and runs from that day's noon to the next, by the PC's own clock. */
const BEGINS_HOUR = 12
/** Until then the night that runs is tonight; then it was last night. */
const MORNING_HOUR = 6

export type Night = {
  /** The day it begins on, "2026-11-13". */
  readonly day: string
  readonly fromMs: number
  readonly toMs: number
}

const two = (value: number): string => String(value).padStart(2, '0')
const noonMs = (at: Date, daysOn: number): number =>
  new Date(at.getFullYear(), at.getMonth(), at.getDate() + daysOn, BEGINS_HOUR).getTime()

export const nightOf = (atMs: number): Night => {
  const at = new Date(atMs)
  const begun = at.getHours() >= BEGINS_HOUR ? 0 : -1
  const fromMs = noonMs(at, begun)
  const from = new Date(fromMs)
  return {
    day: `${from.getFullYear()}-${two(from.getMonth() + 1)}-${two(from.getDate())}`,
    fromMs,
    toMs: noonMs(at, begun + 1),
  }
}

/** "Tonight", "Last night", "Fri 13 Nov". */
export const nightName = (day: string, nowMs: number): string => {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  const now = new Date(nowMs)
  const today = new Date(now.getFullYear(), now.getMonth(), now.getDate(), now.getHours() - MORNING_HOUR)
  const isDay = (daysBack: number) =>
    new Date(today.getFullYear(), today.getMonth(), today.getDate() - daysBack).getTime() ===
    new Date(year, month - 1, date).getTime()
  if (isDay(0)) return 'Tonight'
  if (isDay(1)) return 'Last night'
  return formatWeekday(new Date(year, month - 1, date, BEGINS_HOUR).toISOString(), nowMs)
}

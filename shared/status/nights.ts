import { formatWeekday } from '../words/format.ts'

/**
 * A night begins at 18:00 on this PC's clock and ends where the next one begins, so that every moment lies in exactly
 * one: the night bar, the strip of thirty nights, the folders' seven and the silence alarm all mean this one. It is
 * called by the day on which it begins.
 */
const NIGHT_HOUR = 18
/** Until then the night that runs is tonight; then it was last night. */
const MORNING_HOUR = 6

export type Night = {
  /** "2026-03-11" */
  readonly name: string
  readonly startMs: number
  readonly endMs: number
}

/** A date and not a number of hours: where the clocks change, a night has 23 or 25 of them. */
const eveningOf = (year: number, month: number, day: number): Date => new Date(year, month, day, NIGHT_HOUR)

const two = (value: number) => String(value).padStart(2, '0')

const nightFrom = (evening: Date): Night => {
  const [year, month, day] = [evening.getFullYear(), evening.getMonth(), evening.getDate()]
  return {
    name: `${String(year).padStart(4, '0')}-${two(month + 1)}-${two(day)}`,
    startMs: evening.getTime(),
    endMs: eveningOf(year, month, day + 1).getTime(),
  }
}

export const nightAt = (ms: number): Night => {
  const at = new Date(ms)
  const evening = eveningOf(at.getFullYear(), at.getMonth(), at.getDate())
  return nightFrom(
    evening.getTime() <= ms ? evening : eveningOf(at.getFullYear(), at.getMonth(), at.getDate() - 1),
  )
}

/** So many, the last of them that of the moment given. */
export const nightsUntil = (ms: number, count: number): readonly Night[] => {
  const last = new Date(nightAt(ms).startMs)
  return Array.from({ length: count }, (_, index) =>
    nightFrom(eveningOf(last.getFullYear(), last.getMonth(), last.getDate() - (count - 1 - index))),
  )
}

export const nightNamed = (name: string): Night | null => {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(name) ?? []
  if (year === undefined || month === undefined || day === undefined) return null
  const night = nightFrom(eveningOf(Number(year), Number(month) - 1, Number(day)))
  return night.name === name ? night : null
}

/** "Tonight", "Last night", "Fri 13 Nov". */
export const nightWord = (name: string, nowMs: number): string => {
  const now = new Date(nowMs)
  const isEvening = (daysBack: number) =>
    nightFrom(
      eveningOf(
        now.getFullYear(),
        now.getMonth(),
        now.getDate() - daysBack - Number(now.getHours() < MORNING_HOUR),
      ),
    ).name === name
  if (isEvening(0)) return 'Tonight'
  if (isEvening(1)) return 'Last night'
  const night = nightNamed(name)
  return night === null ? name : formatWeekday(new Date(night.startMs).toISOString(), nowMs)
}

/** "tonight", "last night", "on Fri 13 Nov". */
export const nightInSentence = (name: string, nowMs: number): string => {
  const word = nightWord(name, nowMs)
  return word === 'Tonight' || word === 'Last night' ? word.toLowerCase() : `on ${word}`
}

/** The finest step that is counted by: every time zone is whole quarters of an hour away from every other. */
export const QUARTER_MS = 900_000
export const quarterOf = (ms: number): number => Math.floor(ms / QUARTER_MS)

/** Quarters of the clock from 18:00 on; a night in which the clocks change skips four of them or has four twice. */
export const SLOTS = 96
const FIRST_SLOT = NIGHT_HOUR * 4

export const slotAt = (ms: number): number => {
  const at = new Date(ms)
  return (at.getHours() * 4 + Math.floor(at.getMinutes() / 15) - FIRST_SLOT + SLOTS) % SLOTS
}

import type { UploadWindow } from '../../../shared/settings.ts'
import { type Weekday, weekdays } from './transfer-draft.ts'

/**
 * The upload windows as a week of minutes, for the grid, and back. The settings keep their windows: what the grid
 * cannot show (18:30) is still there, to the minute, after an hour beside it was painted.
 */

/** What holds at a moment: nothing is sent, all that the station may, or so many Mbit/s. */
export type Paint = 'closed' | 'open' | number

/** One entry for each minute, from Monday 00:00. */
export type Week = readonly Paint[]

/** A stretch of one hour with one paint; minutes of the day. */
export type Stretch = { readonly from: number; readonly to: number; readonly paint: Paint }
/** An hour of the week. More than one stretch is what the grid can only hint at. */
export type Cell = { readonly day: number; readonly hour: number; readonly stretches: readonly Stretch[] }

export const HOURS = 24
export const CELLS = 7 * HOURS
const HOUR = 60
const DAY = HOURS * HOUR
const WEEK = 7 * DAY

const days: readonly Weekday[] = weekdays.map(({ id }) => id)

const minuteOf = (time: string): number => Number(time.slice(0, 2)) * HOUR + Number(time.slice(3))
const two = (value: number) => String(value).padStart(2, '0')
export const timeOf = (minute: number): string => `${two(Math.floor(minute / HOUR))}:${two(minute % HOUR)}`

const paintOf = ({ limit_mbit_per_s }: UploadWindow): Paint => limit_mbit_per_s ?? 'open'

/** The minutes of the week that a window covers, by the rule of the agent. */
const covered = function* ({ days: on, from, to }: UploadWindow): Generator<number> {
  const [start, end] = [minuteOf(from), minuteOf(to)]
  const [first, beyond] = start === end ? [0, DAY] : [start, start < end ? end : DAY + end]
  for (const day of on)
    for (let minute = first; minute < beyond; minute += 1) yield (days.indexOf(day) * DAY + minute) % WEEK
}

/** Where windows overlap the first one counts; no window at all means always. */
export const readWeek = (windows: readonly UploadWindow[]): Week => {
  const week = new Array<Paint>(WEEK).fill(windows.length === 0 ? 'open' : 'closed')
  for (const window of windows.toReversed())
    for (const minute of covered(window)) week[minute] = paintOf(window)
  return week
}

const stretchesOf = (week: Week, start: number, length: number): readonly Stretch[] => {
  const found: Stretch[] = []
  for (let at = start; at < start + length; at += 1) {
    const paint = week[at] ?? 'closed'
    const last = found.at(-1)
    const minute = at % DAY
    if (last?.paint === paint) found[found.length - 1] = { ...last, to: minute + 1 }
    else found.push({ from: minute, to: minute + 1, paint })
  }
  return found
}

export const cellsOf = (week: Week): readonly Cell[] =>
  Array.from({ length: CELLS }, (_, index) => ({
    day: Math.floor(index / HOURS),
    hour: index % HOURS,
    stretches: stretchesOf(week, index * HOUR, HOUR),
  }))

type Piece = Stretch & { readonly day: number }

const windowOf = (on: readonly Weekday[], { from, to, paint }: Stretch): UploadWindow => ({
  days: [...on],
  from: timeOf(from),
  to: timeOf(to),
  ...(typeof paint === 'number' ? { limit_mbit_per_s: paint } : {}),
})

/**
 * A night is one window and not two: what runs past midnight is joined, if it ends before the hour that it began at.
 * More than that a window cannot say.
 */
const joinNights = (pieces: readonly Piece[]): readonly Piece[] => {
  const mornings = new Map(pieces.filter(({ from, to }) => from === 0 && to < DAY).map((p) => [p.day, p]))
  const joined = new Set<Piece>()
  const nights = pieces.map((evening) => {
    const morning = mornings.get((evening.day + 1) % 7)
    if (evening.to !== DAY || morning?.paint !== evening.paint || morning.to >= evening.from) return evening
    joined.add(morning)
    return { ...evening, to: morning.to }
  })
  return nights.filter((_, index) => !joined.has(pieces[index] as Piece))
}

/** The same hours on several days are one window. */
const joinDays = (pieces: readonly Piece[]): readonly UploadWindow[] => {
  const groups = Map.groupBy(pieces, ({ from, to, paint }) => `${from} ${to} ${paint}`)
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    return first === undefined
      ? []
      : [
          windowOf(
            group.map(({ day }) => days[day] as Weekday),
            first,
          ),
        ]
  })
}

const shortest = (week: Week): readonly UploadWindow[] =>
  joinDays(
    joinNights(
      days.flatMap((_, day) =>
        stretchesOf(week, day * DAY, DAY)
          .filter(({ paint }) => paint !== 'closed')
          .map((stretch) => ({ ...stretch, day })),
      ),
    ),
  )

/** It is on no day, so it covers nothing; the schema refuses it, since no window at all would mean always. */
const never: UploadWindow = { days: [], from: '00:00', to: '24:00' }

/** Windows that say this week. Of the ones that were there, those that still hold stay unless fewer would do. */
export const writeWeek = (week: Week, before: readonly UploadWindow[] = []): readonly UploadWindow[] => {
  if (week.every((paint) => paint === 'open')) return []
  if (week.every((paint) => paint === 'closed')) return [never]
  const kept = before.filter(
    (window) =>
      window.days.length > 0 && [...covered(window)].every((minute) => week[minute] === paintOf(window)),
  )
  const said = new Set(kept.flatMap((window) => [...covered(window)]))
  const rest = shortest(week.map((paint, minute) => (said.has(minute) ? 'closed' : paint)))
  const anew = shortest(week)
  return kept.length + rest.length <= anew.length ? [...kept, ...rest] : anew
}

/** Whole hours, whatever they held. */
export const paintCells = (
  windows: readonly UploadWindow[],
  cells: Iterable<number>,
  paint: Paint,
): readonly UploadWindow[] => {
  const before = readWeek(windows)
  const week = [...before]
  for (const cell of cells) week.fill(paint, cell * HOUR, (cell + 1) * HOUR)
  return week.every((value, minute) => value === before[minute]) ? windows : writeWeek(week, windows)
}

/** The hours between two corners. */
export const rectangle = (a: number, b: number): readonly number[] => {
  const span = (x: number, y: number) => [Math.min(x, y), Math.max(x, y)] as const
  const [firstDay, lastDay] = span(Math.floor(a / HOURS), Math.floor(b / HOURS))
  const [firstHour, lastHour] = span(a % HOURS, b % HOURS)
  return Array.from({ length: CELLS }, (_, cell) => cell).filter((cell) => {
    const [day, hour] = [Math.floor(cell / HOURS), cell % HOURS]
    return day >= firstDay && day <= lastDay && hour >= firstHour && hour <= lastHour
  })
}

import type { UploadWindow } from '../../../shared/settings/settings.ts'
import { type Weekday, weekdays } from './transfer-draft.ts'

/**
 * Converts upload windows to a week of minutes for the grid, and back. The user paints whole hours. A window may
 * start or end within an hour, such as at 18:30. This time stays until the user paints that hour.
 */

/** The rule for a minute: closed, open with the station's limit, or open with its own limit in Mbit/s. */
export type Paint = 'closed' | 'open' | number

/** One entry per minute, from Monday 00:00. */
export type Week = readonly Paint[]

/** A part of an hour or day with only one paint. `from` and `to` are minutes of the day. */
export type Stretch = { readonly from: number; readonly to: number; readonly paint: Paint }
/** An hour of the week. It has several stretches if the rule changes within the hour. */
export type Cell = { readonly day: number; readonly hour: number; readonly stretches: readonly Stretch[] }

export const HOURS = 24
export const CELLS = 7 * HOURS
const HOUR_MINUTES = 60
const DAY_MINUTES = HOURS * HOUR_MINUTES
const WEEK_MINUTES = 7 * DAY_MINUTES

const days: readonly Weekday[] = weekdays.map(({ id }) => id)

const minuteOf = (time: string): number => Number(time.slice(0, 2)) * HOUR_MINUTES + Number(time.slice(3))
const twoDigits = (value: number) => String(value).padStart(2, '0')
export const timeOf = (minute: number): string =>
  `${twoDigits(Math.floor(minute / HOUR_MINUTES))}:${twoDigits(minute % HOUR_MINUTES)}`

const paintOf = ({ limit_mbit_per_s }: UploadWindow): Paint => limit_mbit_per_s ?? 'open'

/**
 * The minutes of the week that a window covers. The agent uses the same rules: if `from` equals `to`, the window covers
 * the whole day. If `to` is before `from`, the window ends on the next day.
 */
const coveredMinutes = function* ({ days: windowDays, from, to }: UploadWindow): Generator<number> {
  const [start, end] = [minuteOf(from), minuteOf(to)]
  const [first, endMinute] = start === end ? [0, DAY_MINUTES] : [start, start < end ? end : DAY_MINUTES + end]
  for (const day of windowDays)
    for (let minute = first; minute < endMinute; minute += 1)
      yield (days.indexOf(day) * DAY_MINUTES + minute) % WEEK_MINUTES
}

/** If windows overlap, the first window counts. If there are no windows, uploads are always allowed. */
export const readWeek = (windows: readonly UploadWindow[]): Week => {
  const week = new Array<Paint>(WEEK_MINUTES).fill(windows.length === 0 ? 'open' : 'closed')
  for (const window of windows.toReversed())
    for (const minute of coveredMinutes(window)) week[minute] = paintOf(window)
  return week
}

const stretchesOf = (week: Week, start: number, length: number): readonly Stretch[] => {
  const stretches: Stretch[] = []
  for (let weekMinute = start; weekMinute < start + length; weekMinute += 1) {
    const paint = week[weekMinute] ?? 'closed'
    const last = stretches.at(-1)
    const minute = weekMinute % DAY_MINUTES
    if (last?.paint === paint) stretches[stretches.length - 1] = { ...last, to: minute + 1 }
    else stretches.push({ from: minute, to: minute + 1, paint })
  }
  return stretches
}

export const cellsOf = (week: Week): readonly Cell[] =>
  Array.from({ length: CELLS }, (_, index) => ({
    day: Math.floor(index / HOURS),
    hour: index % HOURS,
    stretches: stretchesOf(week, index * HOUR_MINUTES, HOUR_MINUTES),
  }))

type Piece = Stretch & { readonly day: number }

const windowOf = (windowDays: readonly Weekday[], { from, to, paint }: Stretch): UploadWindow => ({
  days: [...windowDays],
  from: timeOf(from),
  to: timeOf(to),
  ...(typeof paint === 'number' ? { limit_mbit_per_s: paint } : {}),
})

/** Joins an evening and the next morning into one window, unless that window would last a day or longer. */
const joinNights = (pieces: readonly Piece[]): readonly Piece[] => {
  const mornings = new Map(
    pieces.filter(({ from, to }) => from === 0 && to < DAY_MINUTES).map((piece) => [piece.day, piece]),
  )
  const joinedMornings = new Set<Piece>()
  const nights = pieces.map((evening) => {
    const morning = mornings.get((evening.day + 1) % 7)
    if (evening.to !== DAY_MINUTES || morning?.paint !== evening.paint || morning.to >= evening.from)
      return evening
    joinedMornings.add(morning)
    return { ...evening, to: morning.to }
  })
  return nights.filter((_, index) => !joinedMornings.has(pieces[index] as Piece))
}

/** Joins equal hours of several days into one window. */
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

const fewestWindows = (week: Week): readonly UploadWindow[] =>
  joinDays(
    joinNights(
      days.flatMap((_, day) =>
        stretchesOf(week, day * DAY_MINUTES, DAY_MINUTES)
          .filter(({ paint }) => paint !== 'closed')
          .map((stretch) => ({ ...stretch, day })),
      ),
    ),
  )

/**
 * The window for a week without any open minute, because an empty list would mean "always open". The schema refuses
 * this window, so the user cannot save a week that is never open.
 */
const neverOpen: UploadWindow = { days: [], from: '00:00', to: '24:00' }

/**
 * Converts the week to windows. Keeps the previous windows that still apply, unless a new list is shorter.
 */
export const writeWeek = (
  week: Week,
  previousWindows: readonly UploadWindow[] = [],
): readonly UploadWindow[] => {
  if (week.every((paint) => paint === 'open')) return []
  if (week.every((paint) => paint === 'closed')) return [neverOpen]
  const validWindows = previousWindows.filter(
    (window) =>
      window.days.length > 0 &&
      [...coveredMinutes(window)].every((minute) => week[minute] === paintOf(window)),
  )
  const validMinutes = new Set(validWindows.flatMap((window) => [...coveredMinutes(window)]))
  const addedWindows = fewestWindows(
    week.map((paint, minute) => (validMinutes.has(minute) ? 'closed' : paint)),
  )
  const rebuiltWindows = fewestWindows(week)
  return validWindows.length + addedWindows.length <= rebuiltWindows.length
    ? [...validWindows, ...addedWindows]
    : rebuiltWindows
}

/** Fills whole hours. Returns `windows` itself if nothing changes. */
export const paintCells = (
  windows: readonly UploadWindow[],
  cells: Iterable<number>,
  paint: Paint,
): readonly UploadWindow[] => {
  const weekBefore = readWeek(windows)
  const week = [...weekBefore]
  for (const cell of cells) week.fill(paint, cell * HOUR_MINUTES, (cell + 1) * HOUR_MINUTES)
  return week.every((value, minute) => value === weekBefore[minute]) ? windows : writeWeek(week, windows)
}

/** The indexes in the rectangle between two corners, row by row. They may be cells, or places of `WeekGrid`. */
export const rectangle = (a: number, b: number): readonly number[] => {
  const span = (x: number, y: number) => [Math.min(x, y), Math.max(x, y)] as const
  const [firstDay, lastDay] = span(Math.floor(a / HOURS), Math.floor(b / HOURS))
  const [firstHour, lastHour] = span(a % HOURS, b % HOURS)
  return Array.from({ length: CELLS }, (_, cell) => cell).filter((cell) => {
    const [day, hour] = [Math.floor(cell / HOURS), cell % HOURS]
    return day >= firstDay && day <= lastDay && hour >= firstHour && hour <= lastHour
  })
}

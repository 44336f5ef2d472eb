import { formatMbit, formatTimeOfDay, mbitAsRate } from '../../../shared/words/format.ts'
import { type Cell, HOURS, type Paint, type Stretch, timeOf } from './upload-week.ts'

const dayNames = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const
export const dayName = (day: number): string => dayNames[day] ?? ''

/** Formats a minute of the day in the user's locale. */
const formatMinute = (minute: number) => formatTimeOfDay(timeOf(minute))

/** Both units: providers sell connections in Mbit/s, but Sluice shows speeds in MB/s. */
const bothUnits = (limit: number): string => `${formatMbit(limit)} (${mbitAsRate(limit)})`

export const paintWords = (paint: Paint): string =>
  typeof paint === 'number' ? `open, ${formatMbit(paint)}` : paint

/** A legend entry with both units. `generalLimit` is the limit of the station. */
export const legendWords = (paint: Paint, generalLimit: number | null): string => {
  if (paint === 'closed') return 'Closed'
  if (paint !== 'open') return bothUnits(paint)
  return generalLimit === null ? 'Open, no limit' : `Open, ${bothUnits(generalLimit)}`
}

const stretchWords = (
  { from, to, paint }: Stretch,
  index: number,
  { length }: readonly Stretch[],
): string => {
  if (length === 1) return paintWords(paint)
  return index === 0
    ? `${paintWords(paint)} until ${formatMinute(to)}`
    : `${paintWords(paint)} from ${formatMinute(from)}`
}

/** "Tuesday 18:00 to 19:00, open, 20 Mbit/s"; "…, closed until 18:30, open from 18:30". */
export const cellName = ({ day, hour, stretches }: Cell): string =>
  `${dayName(day)} ${formatMinute(hour * 60)} to ${formatMinute((hour + 1) * 60)}, ${stretches.map(stretchWords).join(', ')}`

/** "Monday to Friday, 18:00 to 24:00". */
export const rangeName = (cells: readonly number[]): string => {
  const [first = 0, last = first] = [cells[0], cells.at(-1)]
  const [firstDay, lastDay] = [Math.floor(first / HOURS), Math.floor(last / HOURS)]
  const days = firstDay === lastDay ? dayName(firstDay) : `${dayName(firstDay)} to ${dayName(lastDay)}`
  return `${days}, ${formatMinute((first % HOURS) * 60)} to ${formatMinute(((last % HOURS) + 1) * 60)}`
}

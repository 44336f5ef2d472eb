import { DEFAULT_LOCALE, localeFormat } from './locale-format.ts'

/** One formatter for each kind of number, so that window, tray and terminal agree. */

/** Creates a formatter on first use: creating one takes milliseconds, and most processes need no formatter. */
const once = <T>(make: () => T): (() => T) => {
  let value: T | undefined
  return () => {
    value ??= make()
    return value
  }
}

/**
 * The only state in this file. Each process sets its locale before it writes any text, so that no sentence mixes two
 * formats.
 */
let userFormat = once(() => localeFormat(DEFAULT_LOCALE))

/** Sets the locale for dates, times and numbers, such as "en-US". */
export const setLocale = (locale: string): void => {
  userFormat = once(() => localeFormat(locale))
}

const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'] as const

/** "2,5" in a locale with a decimal comma. */
const withDecimalMark = (figure: string): string => figure.replace('.', userFormat().decimal)

/** Uses decimal units, like the sellers of drives. Shows at most three digits, so that columns stay narrow. */
export const formatBytes = (bytes: number): string => {
  let value = Math.max(0, bytes)
  let unit = 0
  // 999.5 would round to "1000", so it belongs to the next unit.
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000
    unit += 1
  }
  const digits = unit === 0 || value >= 99.95 ? 0 : 1
  return `${withDecimalMark(value.toFixed(digits))} ${units[unit]}`
}

export const formatRate = (bytesPerSecond: number): string => `${formatBytes(bytesPerSecond)}/s`

const BITS_PER_BYTE = 8
const MEGA = 1_000_000

/** "20 Mbit/s": users type upload limits in this unit. */
export const formatMbit = (mbitPerS: number): string => `${withDecimalMark(String(mbitPerS))} Mbit/s`

/** "2.5 MB/s": Sluice shows all other speeds in this form. */
export const mbitAsRate = (mbitPerS: number): string => formatRate((mbitPerS * MEGA) / BITS_PER_BYTE)

export const formatCount = (count: number): string => userFormat().count(count)

/** "1 recording", "12 recordings". */
export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${formatCount(count)} ${count === 1 ? one : many}`

export const formatDuration = (seconds: number): string => {
  const whole = Math.max(0, Math.round(seconds))
  if (whole < 60) return `${whole} s`
  const minutes = Math.round(whole / 60)
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  if (hours < 24) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`
  const days = Math.floor(hours / 24)
  return hours % 24 === 0 ? `${days} d` : `${days} d ${hours % 24} h`
}

/** Rounds in steps that grow with the time left, so that the estimate does not change every second. */
const roundEta = (seconds: number): number => {
  const step = seconds < 60 ? 15 : seconds < 600 ? 60 : seconds < 3600 ? 300 : 900
  return Math.max(step, Math.ceil(seconds / step) * step)
}

export const formatEta = (seconds: number): string => `${formatDuration(roundEta(seconds))} left`

export const formatAgo = (at: string, nowMs: number): string => {
  const seconds = (nowMs - Date.parse(at)) / 1000
  if (seconds < 45) return 'just now'
  return `${formatDuration(Math.max(60, seconds))} ago`
}

const isSameDay = (a: Date, b: Date) => a.toDateString() === b.toDateString()
const ukMonth = once(() => new Intl.DateTimeFormat('en-GB', { month: 'short' }))
const usMonth = once(() => new Intl.DateTimeFormat('en-US', { month: 'short' }))
const dayOfWeek = once(() => new Intl.DateTimeFormat('en-GB', { weekday: 'short' }))
const twoDigits = (value: number) => String(value).padStart(2, '0')

/** "18:00", "6:00 PM". 24:00 becomes 12:00 AM. */
const clockOf = (hours: number, minutes: number, seconds?: number): string => {
  const rest = `:${twoDigits(minutes)}${seconds === undefined ? '' : `:${twoDigits(seconds)}`}`
  if (!userFormat().usesHour12) return `${twoDigits(hours)}${rest}`
  return `${hours % 12 === 0 ? 12 : hours % 12}${rest}\u00a0${hours % 24 < 12 ? 'AM' : 'PM'}`
}
const clockOfDate = (date: Date): string => clockOf(date.getHours(), date.getMinutes())

/** Formats a time of the settings, "18:00". Text that is not a time is returned unchanged. */
export const formatTimeOfDay = (time: string): string => {
  const [, hours, minutes] = /^(\d\d):(\d\d)$/.exec(time) ?? []
  return hours === undefined ? time : clockOf(Number(hours), Number(minutes))
}

/** "9" or "9 AM", for the heading of a narrow column. */
export const formatHour = (hour: number): string =>
  userFormat().usesHour12 ? clockOf(hour, 0).replace(':00', '') : String(hour)

/** Takes one item per weekday, Monday first, and reorders them to begin with the locale's first weekday. */
export const fromFirstWeekday = <T>(fromMonday: readonly T[]): readonly T[] => {
  const { firstWeekday } = userFormat()
  return [...fromMonday.slice(firstWeekday), ...fromMonday.slice(0, firstWeekday)]
}

const dayAndMonth = (date: Date): string =>
  userFormat().dateOrder === 'day-first'
    ? `${date.getDate()} ${ukMonth().format(date)}`
    : `${usMonth().format(date)} ${date.getDate()}`

const fullDate = (date: Date): string => {
  switch (userFormat().dateOrder) {
    case 'day-first':
      return `${dayAndMonth(date)} ${date.getFullYear()}`
    case 'month-first':
      return `${dayAndMonth(date)}, ${date.getFullYear()}`
    case 'year-first':
      return `${date.getFullYear()} ${dayAndMonth(date)}`
  }
}

/** "14 Nov", "Nov 14" */
export const formatDate = (at: string): string => dayAndMonth(new Date(at))

export const formatClock = (at: string): string => clockOfDate(new Date(at))
export const formatClockSeconds = (at: string): string => {
  const date = new Date(at)
  return clockOf(date.getHours(), date.getMinutes(), date.getSeconds())
}

const dayWord = (date: Date, today: Date): string => {
  const at = (days: number) => new Date(today.getFullYear(), today.getMonth(), today.getDate() + days)
  if (isSameDay(date, today)) return 'today'
  if (isSameDay(date, at(-1))) return 'yesterday'
  if (isSameDay(date, at(1))) return 'tomorrow'
  return (date.getFullYear() === today.getFullYear() ? dayAndMonth : fullDate)(date)
}

/** "today 03:12", "14 Nov 03:12" in local time, for the middle of a sentence. */
export const momentInSentence = (at: string, nowMs: number): string => {
  const date = new Date(at)
  return `${dayWord(date, new Date(nowMs))} ${clockOfDate(date)}`
}

/** "tomorrow about 20:30", "14 Nov about 02:40". */
export const aboutMoment = (at: string, nowMs: number): string => {
  const date = new Date(at)
  return `${dayWord(date, new Date(nowMs))} about ${clockOfDate(date)}`
}

/** "14:05", "yesterday 18:20", "tomorrow 08:00", for use after "since" or "until". */
export const timeInSentence = (at: string, nowMs: number): string =>
  isSameDay(new Date(at), new Date(nowMs)) ? formatClock(at) : momentInSentence(at, nowMs)

export const capitalise = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** "Today 03:12". */
export const formatMoment = (at: string, nowMs: number): string => capitalise(momentInSentence(at, nowMs))

/** "today", "on Fri 13 Nov". */
export const dayInSentence = (at: string, nowMs: number): string => {
  const word = dayWord(new Date(at), new Date(nowMs))
  return word === 'today' || word === 'yesterday' ? word : `on ${formatWeekday(at, nowMs)}`
}

/** "Today", "14 Nov". */
export const formatDay = (at: string, nowMs: number): string =>
  capitalise(dayWord(new Date(at), new Date(nowMs)))

/** "Fri 13 Nov"; with the year if it is not this year. */
export const formatWeekday = (at: string, nowMs: number): string => {
  const date = new Date(at)
  const isSameYear = date.getFullYear() === new Date(nowMs).getFullYear()
  return `${dayOfWeek().format(date)} ${(isSameYear ? dayAndMonth : fullDate)(date)}`
}

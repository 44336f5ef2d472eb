/** One formatter for each kind of number, so that the window, the tray and the terminal say the same. */

const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'] as const

/** Decimal units, as drives and network links are sold. Three digits at most, so that columns stay calm. */
export const formatBytes = (bytes: number): string => {
  let value = Math.max(0, bytes)
  let unit = 0
  // 999.5 would be printed as "1000"; it belongs to the next unit.
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000
    unit += 1
  }
  const digits = unit === 0 || value >= 99.95 ? 0 : 1
  return `${value.toFixed(digits)} ${units[unit]}`
}

export const formatRate = (bytesPerSecond: number): string => `${formatBytes(bytesPerSecond)}/s`

const BITS_PER_BYTE = 8
const MEGA = 1_000_000

/** "20 Mbit/s", as limits are typed and links are sold. */
export const formatMbit = (mbitPerS: number): string => `${mbitPerS} Mbit/s`

/** "2.5 MB/s", as speeds are shown everywhere else. */
export const mbitAsRate = (mbitPerS: number): string => formatRate((mbitPerS * MEGA) / BITS_PER_BYTE)

/** Made when first needed: each takes milliseconds, and most processes format nothing. */
const once = <T>(make: () => T): (() => T) => {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}

const counts = once(() => new Intl.NumberFormat('en-US'))
export const formatCount = (count: number): string => counts().format(count)

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

/** Steps grow with the time left: an estimate that changes every second is not trusted, and is not one. */
const roundEta = (seconds: number): number => {
  const step = seconds < 60 ? 15 : seconds < 600 ? 60 : seconds < 3600 ? 300 : 900
  return Math.max(step, Math.ceil(seconds / step) * step)
}

export const formatEta = (seconds: number): string => `${formatDuration(roundEta(seconds))} left`

export const formatAgo = (at: string, now: number): string => {
  const seconds = (now - Date.parse(at)) / 1000
  if (seconds < 45) return 'just now'
  return `${formatDuration(Math.max(60, seconds))} ago`
}

const sameDay = (a: Date, b: Date) => a.toDateString() === b.toDateString()
const clock = once(() => new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' }))
const clockWithSeconds = once(
  () => new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' }),
)
const dayAndMonth = once(() => new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' }))
const fullDate = once(
  () => new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' }),
)

const weekday = once(
  () => new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric', month: 'short' }),
)
const weekdayOfYear = once(
  () =>
    new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' }),
)

/** "14 Nov" */
export const formatDate = (at: string): string => dayAndMonth().format(new Date(at))

export const formatClock = (at: string): string => clock().format(new Date(at))
export const formatClockSeconds = (at: string): string => clockWithSeconds().format(new Date(at))

const day = (date: Date, today: Date): string => {
  const at = (days: number) => new Date(today.getFullYear(), today.getMonth(), today.getDate() + days)
  if (sameDay(date, today)) return 'today'
  if (sameDay(date, at(-1))) return 'yesterday'
  if (sameDay(date, at(1))) return 'tomorrow'
  return (date.getFullYear() === today.getFullYear() ? dayAndMonth : fullDate)().format(date)
}

/** "today 03:12", "14 Nov 03:12", in the PC's own time; for the middle of a sentence. */
export const momentInSentence = (at: string, now: number): string => {
  const date = new Date(at)
  return `${day(date, new Date(now))} ${clock().format(date)}`
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** "Today 03:12". */
export const formatMoment = (at: string, now: number): string => capital(momentInSentence(at, now))

/** "Today", "14 Nov". */
export const formatDay = (at: string, now: number): string => capital(day(new Date(at), new Date(now)))

/** "Fri 13 Nov", with the year where it is another one. */
export const formatWeekday = (at: string, now: number): string => {
  const date = new Date(at)
  const sameYear = date.getFullYear() === new Date(now).getFullYear()
  return (sameYear ? weekday : weekdayOfYear)().format(date).replace(',', '')
}

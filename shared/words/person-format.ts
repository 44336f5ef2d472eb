/**
 * How a person writes dates, times and numbers, read from a locale such as "de-DE" or "en-US". The language of the texts
 * stays English, so names of months and days are English ones, put in the person's order.
 */
export type DateOrder = 'day-first' | 'month-first' | 'year-first'

export type PersonFormat = {
  readonly dateOrder: DateOrder
  readonly hour12: boolean
  /** Monday is 0. */
  readonly firstWeekday: number
  readonly decimal: string
  readonly count: (value: number) => string
}

/** Where nothing is known of the person: what is read the same way by most. */
export const DEFAULT_LOCALE = 'en-GB'

const isKnown = (tag: string): boolean => {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(tag).length > 0
  } catch {
    return false
  }
}

/** The tag of POSIX locales: "de_DE.UTF-8@euro" is "de-DE". Null for "C", which is nobody's own. */
const tagOfPosix = (name: string): string | null => {
  const [tag = ''] = name.replaceAll('_', '-').split(/[.@]/)
  return tag === '' || tag === 'C' || tag === 'POSIX' ? null : tag
}

/** The locale that a person chose for times, by the environment; where it names none, the system's. */
export const localeOfPerson = (
  env: Readonly<Record<string, string | undefined>>,
  system: () => string,
): string => {
  const named = [env.LC_ALL, env.LC_TIME, env.LANG].find((name) => name !== undefined && name !== '')
  return named === undefined ? system() : (tagOfPosix(named) ?? DEFAULT_LOCALE)
}

type Weeks = { readonly getWeekInfo?: () => { readonly firstDay: number } }

const firstWeekdayOf = (tag: string): number =>
  ((new Intl.Locale(tag) as Weeks).getWeekInfo?.().firstDay ?? 1) - 1

const dateOrderOf = (tag: string): DateOrder => {
  const parts = new Intl.DateTimeFormat(tag, {
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    calendar: 'gregory',
    numberingSystem: 'latn',
  }).formatToParts(0)
  const [first] = parts.filter(({ type }) => type === 'day' || type === 'month' || type === 'year')
  return first?.type === 'month' ? 'month-first' : first?.type === 'year' ? 'year-first' : 'day-first'
}

/** A locale that nobody knows is the default one. */
export const personFormat = (locale: string): PersonFormat => {
  const tag = isKnown(locale) ? locale : DEFAULT_LOCALE
  const numbers = new Intl.NumberFormat(tag, { numberingSystem: 'latn' })
  return {
    dateOrder: dateOrderOf(tag),
    hour12: new Intl.DateTimeFormat(tag, { hour: 'numeric' }).resolvedOptions().hour12 === true,
    firstWeekday: firstWeekdayOf(tag),
    decimal: numbers.formatToParts(1.5).find(({ type }) => type === 'decimal')?.value ?? '.',
    count: (value) => numbers.format(value),
  }
}

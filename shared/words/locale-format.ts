export type DateOrder = 'day-first' | 'month-first' | 'year-first'

/**
 * The user's format of dates, times and numbers, read from a locale such as "de-DE" or "en-US". Names of months and
 * days are English.
 */
export type LocaleFormat = {
  readonly dateOrder: DateOrder
  readonly usesHour12: boolean
  /** Monday is 0. */
  readonly firstWeekday: number
  readonly decimal: string
  readonly count: (value: number) => string
}

/** Used if the user's locale is unknown. */
export const DEFAULT_LOCALE = 'en-GB'

const isKnown = (tag: string): boolean => {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(tag).length > 0
  } catch {
    return false
  }
}

/**
 * The language tag of a POSIX locale: "de_DE.UTF-8@euro" becomes "de-DE". Null for "C" and "POSIX", which name no
 * language.
 */
const tagOfPosix = (name: string): string | null => {
  const [tag = ''] = name.replaceAll('_', '-').split(/[.@]/)
  return tag === '' || tag === 'C' || tag === 'POSIX' ? null : tag
}

/** The locale that the environment sets for times, or the system's locale. "C" means the default locale. */
export const localeFromEnvironment = (
  env: Readonly<Record<string, string | undefined>>,
  system: () => string,
): string => {
  const localeName = [env.LC_ALL, env.LC_TIME, env.LANG].find((name) => name !== undefined && name !== '')
  return localeName === undefined ? system() : (tagOfPosix(localeName) ?? DEFAULT_LOCALE)
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

/** An unknown locale falls back to the default. */
export const localeFormat = (locale: string): LocaleFormat => {
  const tag = isKnown(locale) ? locale : DEFAULT_LOCALE
  const numbers = new Intl.NumberFormat(tag, { numberingSystem: 'latn' })
  return {
    dateOrder: dateOrderOf(tag),
    usesHour12: new Intl.DateTimeFormat(tag, { hour: 'numeric' }).resolvedOptions().hour12 === true,
    firstWeekday: firstWeekdayOf(tag),
    decimal: numbers.formatToParts(1.5).find(({ type }) => type === 'decimal')?.value ?? '.',
    count: (value) => numbers.format(value),
  }
}

import { afterEach, describe, expect, it } from 'vitest'
import { userLocale } from '../../../../main/shell/system/user-locale.ts'
import { localeArgument, localeIn } from '../../../../shared/ipc/channel.ts'
import { pauseWords } from '../../../../shared/status/pause.ts'
import {
  formatBytes,
  formatClock,
  formatClockSeconds,
  formatCount,
  formatDate,
  formatDay,
  formatHour,
  formatMbit,
  formatTimeOfDay,
  formatWeekday,
  fromFirstWeekday,
  momentInSentence,
  setLocale,
} from '../../../../shared/words/format.ts'
import { DEFAULT_LOCALE, localeFromEnvironment } from '../../../../shared/words/locale-format.ts'

const at = new Date(2026, 8, 4, 15, 7, 9)
const nowMs = new Date(2026, 10, 15, 12).getTime()
const lastYear = new Date(2025, 8, 4, 0, 30)
const withPlainSpaces = (text: string) => text.replaceAll(/[\u00a0\u202f]/g, ' ')

describe('dates, times and numbers follow the user’s locale', () => {
  afterEach(() => setLocale(DEFAULT_LOCALE))

  it.each([
    ['en-GB', '4 Sept', '15:07', '15:07:09', '4 Sept 2025 00:30', 'Fri 4 Sept', '1,234,567', '2.5 GB'],
    ['en-US', 'Sep 4', '3:07 PM', '3:07:09 PM', 'Sep 4, 2025 12:30 AM', 'Fri Sep 4', '1,234,567', '2.5 GB'],
    ['de-DE', '4 Sept', '15:07', '15:07:09', '4 Sept 2025 00:30', 'Fri 4 Sept', '1.234.567', '2,5 GB'],
    ['fr-FR', '4 Sept', '15:07', '15:07:09', '4 Sept 2025 00:30', 'Fri 4 Sept', '1 234 567', '2,5 GB'],
    ['ja-JP', 'Sep 4', '15:07', '15:07:09', '2025 Sep 4 00:30', 'Fri Sep 4', '1,234,567', '2.5 GB'],
    ['en-IN', '4 Sept', '3:07 PM', '3:07:09 PM', '4 Sept 2025 12:30 AM', 'Fri 4 Sept', '12,34,567', '2.5 GB'],
    // Digits stay Western, because all texts are in English.
    ['ar-EG', '4 Sept', '3:07 PM', '3:07:09 PM', '4 Sept 2025 12:30 AM', 'Fri 4 Sept', '1,234,567', '2.5 GB'],
    [
      'no-such-locale-at-all',
      '4 Sept',
      '15:07',
      '15:07:09',
      '4 Sept 2025 00:30',
      'Fri 4 Sept',
      '1,234,567',
      '2.5 GB',
    ],
  ])('%s', (locale, date, clock, seconds, moment, weekday, count, bytes) => {
    setLocale(locale)
    const iso = at.toISOString()
    expect(
      [
        formatDate(iso),
        formatClock(iso),
        formatClockSeconds(iso),
        momentInSentence(lastYear.toISOString(), nowMs),
        formatWeekday(iso, nowMs),
        formatCount(1_234_567),
        formatBytes(2_500_000_000),
      ].map(withPlainSpaces),
    ).toEqual([date, clock, seconds, moment, weekday, count, bytes])
  })

  it('including times of day in settings, hour labels and the first day of the week', () => {
    const week = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']
    setLocale('en-US')
    expect(withPlainSpaces(formatTimeOfDay('18:30'))).toBe('6:30 PM')
    expect(withPlainSpaces(formatTimeOfDay('24:00'))).toBe('12:00 AM')
    expect(formatTimeOfDay('18:3')).toBe('18:3')
    expect([0, 9, 12, 21].map((hour) => withPlainSpaces(formatHour(hour)))).toEqual([
      '12 AM',
      '9 AM',
      '12 PM',
      '9 PM',
    ])
    expect(withPlainSpaces(pauseWords('morning'))).toBe('Until 6:00 AM')
    expect(fromFirstWeekday(week)[0]).toBe('Sun')
    setLocale('ar-EG')
    expect(fromFirstWeekday(week)).toEqual(['Sat', 'Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri'])
    setLocale('de-DE')
    expect(fromFirstWeekday(week)).toEqual(week)
    expect(formatTimeOfDay('24:00')).toBe('24:00')
    expect(formatMbit(2.5)).toBe('2,5 Mbit/s')
    expect(formatDay(new Date(nowMs).toISOString(), nowMs)).toBe('Today')
  })
})

it.each([
  [{ LC_ALL: 'de_DE.UTF-8', LC_TIME: 'en_US.UTF-8', LANG: 'fr_FR' }, 'de-DE'],
  [{ LC_ALL: '', LC_TIME: 'de_CH.UTF-8@euro', LANG: 'en_US.UTF-8' }, 'de-CH'],
  [{ LANG: 'sv_SE' }, 'sv-SE'],
  [{ LANG: 'C.UTF-8' }, DEFAULT_LOCALE],
  [{ LC_TIME: 'POSIX', LANG: 'en_US.UTF-8' }, DEFAULT_LOCALE],
  [{}, 'fi-FI'],
])('with %j, the terminal’s locale for times is %s', (env, locale) => {
  expect(localeFromEnvironment(env, () => 'fi-FI')).toBe(locale)
})

it('the app uses the region of Windows and macOS, and LC_TIME on Linux', () => {
  const app = { getSystemLocale: () => 'fi-FI' }
  const env = { LC_TIME: 'de_DE.UTF-8' }
  expect(userLocale('win32', env, app)).toBe('fi-FI')
  expect(userLocale('darwin', env, app)).toBe('fi-FI')
  expect(userLocale('linux', env, app)).toBe('de-DE')
  expect(userLocale('linux', {}, app)).toBe(DEFAULT_LOCALE)
  expect(localeIn(['electron', localeArgument('de-DE'), '--other'])).toBe('de-DE')
})

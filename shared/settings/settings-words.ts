import {
  capitalise,
  formatBytes,
  formatCount,
  formatMbit,
  formatTimeOfDay,
  mbitAsRate,
} from '../words/format.ts'
import { type AfterUpload, afterUploadWords } from './after-upload.ts'
import { settingName } from './setting-names.ts'
import type { UploadWindow } from './settings.ts'
import type { SettingsFault } from './settings-fault.ts'
import { expectationWords, type TakeExpectation } from './take-expectation.ts'

/** Values and faults of settings in words. */

const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']

/** "Mon to Fri", "Sat, Sun", "Every day". */
const daysInWords = (days: readonly string[]): string => {
  const indexes = weekdays.flatMap((day, index) => (days.includes(day) ? [index] : []))
  const [first = 0, last = 0] = [indexes[0], indexes.at(-1)]
  if (indexes.length === weekdays.length) return 'Every day'
  const name = (index: number) => capitalise(weekdays[index] ?? '')
  if (indexes.length > 2 && last - first === indexes.length - 1) return `${name(first)} to ${name(last)}`
  return indexes.map(name).join(', ')
}

const limitInWords = (limit: number): string => `${formatMbit(limit)} (${mbitAsRate(limit)})`

/** "Every day 18:00 to 07:00 (next day)". */
export const hoursInWords = ({ days, from, to }: Omit<UploadWindow, 'limit_mbit_per_s'>): string => {
  const hours =
    from === to
      ? 'all day'
      : `${formatTimeOfDay(from)} to ${formatTimeOfDay(to)}${to < from ? ' (next day)' : ''}`
  return `${daysInWords(days)} ${hours}`
}

const windowInWords = (window: UploadWindow): string => {
  const { limit_mbit_per_s: limit } = window
  return `${hoursInWords(window)}${limit === undefined ? '' : `, ${limitInWords(limit)}`}`
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Null if the value is not set. */
export const valueInWords = (key: string, value: unknown): string | null => {
  if (value === undefined || value === null) return null
  if (key === 'windows')
    return (value as readonly UploadWindow[]).map(windowInWords).join('; ') || 'at any time'
  if ((key === 'metrics' || key === 'receive') && isRecord(value))
    return `${value.address}, port ${value.port}`
  if (key === 'quiet_hours' && isRecord(value)) return `${value.from} to ${value.to}`
  if (key === 'expect' && isRecord(value)) return expectationWords(value as TakeExpectation)
  if (key === 'after_upload' && isRecord(value)) return afterUploadWords(value as AfterUpload)
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  if (typeof value === 'number') {
    if (key === 'limit_mbit_per_s') return limitInWords(value)
    if (key === 'part_size_bytes') return `${formatBytes(value)} (${formatCount(value)} bytes)`
    return key.endsWith('_seconds') ? `${value} s` : String(value)
  }
  if (typeof value === 'string') return value === '' ? 'empty' : value
  if (Array.isArray(value) && value.every((entry) => typeof entry === 'string'))
    return value.join(', ') || 'none'
  return JSON.stringify(value)
}

/** "Folder 2, Site" from the path of a fault. Counts from one, as people do. */
export const placeInWords = (path: readonly PropertyKey[]): string => {
  const isIndex = (key: PropertyKey) => /^\d+$/.test(String(key))
  const words = path.flatMap((key, at) => {
    if (isIndex(key)) return [`${Number(key) + 1}`]
    // The names of fields are clear without the name of their section.
    const isSection = at === 0 && path.length > 1
    return isSection
      ? []
      : [
          settingName(
            path
              .slice(0, at + 1)
              .filter((each) => !isIndex(each))
              .join('.'),
          ),
        ]
  })
  if (words.length === 0) return 'Settings'
  return path[0] === 'folders' && path.length > 1 ? `Folder ${words.join(', ')}` : words.join(', ')
}

/** A fault with the names that the window shows. */
export const faultInWords = ({ path, message }: SettingsFault): string =>
  path === null ? `The file ${message}.` : `${placeInWords(path)}: ${message}`

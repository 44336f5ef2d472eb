import { formatBytes, formatCount, formatMbit, formatTimeOfDay, mbitAsRate } from '../words/format.ts'
import { type AfterUpload, afterUploadWords } from './after-upload.ts'
import type { UploadWindow } from './settings.ts'

/** The names of settings in the window, and their values in words. */

export const sections = ['service', 'folders', 'transfer', 'follow', 'webhooks', 'monitoring', 'app'] as const
export type Section = (typeof sections)[number]

export const sectionWords: Readonly<Record<Section, string>> = {
  service: 'Service',
  folders: 'Folders',
  transfer: 'Transfer',
  follow: 'Processing',
  webhooks: 'Events from the service',
  monitoring: 'Monitoring',
  app: 'This app',
}

const fieldWords: Readonly<Record<string, string>> = {
  base_url: 'Address',
  api_key: 'Key',
  checksum_header: 'Checksum header',
  proxy: 'Proxy',
  ca_file: 'File with extra certificates',
  upload_hosts: 'Storage hosts',
  path: 'Folder',
  site: 'Site',
  device: 'Device',
  notes: 'Notes',
  include: 'Include',
  exclude: 'Exclude',
  recursive: 'Include subfolders',
  ignore_existing: 'Skip existing files',
  settle_seconds: 'Finished when unchanged for',
  marker_suffix: 'Marker file',
  upload_duplicates: 'Upload the same content again',
  part_size_bytes: 'Part size',
  after_upload: 'After the upload',
  parallel_recordings: 'Recordings at once',
  parallel_parts: 'Parts at once',
  limit_mbit_per_s: 'Speed limit',
  windows: 'Upload hours',
  pause_on_battery: 'Pause uploads on battery',
  poll_seconds: 'Check processing every',
  receive: 'Received on this PC',
  metrics: 'Metrics for Prometheus',
  heartbeat_seconds: 'Heartbeat every',
  heartbeat_url: 'Heartbeat URL',
  alert_url: 'Alert URL',
  station_name: 'Station name',
  theme: 'Theme',
  start_at_login: 'Start at login',
  keep_awake_while_uploading: 'Keep this PC awake while uploading',
  notify_attention: 'Notify when something needs attention',
  notify_overnight_done: 'Notify when the night’s recordings are done',
  quiet_hours: 'Quiet hours',
  days: 'Days',
  from: 'From',
  to: 'To',
}

/** Falls back to the key, so that every field has a name. */
export const fieldName = (key: string): string => {
  const words = key.replaceAll('_', ' ')
  return fieldWords[key] ?? words.charAt(0).toUpperCase() + words.slice(1)
}

const week = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']
const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** "Mon to Fri", "Sat, Sun", "Every day". */
const daysInWords = (days: readonly string[]): string => {
  const places = week.flatMap((day, place) => (days.includes(day) ? [place] : []))
  const [first = 0, last = 0] = [places[0], places.at(-1)]
  if (places.length === week.length) return 'Every day'
  const name = (place: number) => capital(week[place] ?? '')
  if (places.length > 2 && last - first === places.length - 1) return `${name(first)} to ${name(last)}`
  return places.map(name).join(', ')
}

const limitInWords = (limit: number): string => `${formatMbit(limit)} (${mbitAsRate(limit)})`

const windowInWords = ({ days, from, to, limit_mbit_per_s }: UploadWindow): string => {
  const hours =
    from === to
      ? 'all day'
      : `${formatTimeOfDay(from)} to ${formatTimeOfDay(to)}${to < from ? ' (next day)' : ''}`
  const limit = limit_mbit_per_s === undefined ? '' : `, ${limitInWords(limit_mbit_per_s)}`
  return `${daysInWords(days)} ${hours}${limit}`
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

/** "Folder 2, Site" from the path of an issue. Counts from one, as people do. */
export const placeInWords = (path: readonly PropertyKey[]): string => {
  const [section, ...rest] = path.map(String)
  if (section === undefined) return 'Settings'
  const [index, ...inner] = rest
  if (section === 'folders' && index !== undefined)
    return [`Folder ${Number(index) + 1}`, ...inner.filter((key) => !/^\d+$/.test(key)).map(fieldName)].join(
      ', ',
    )
  const known = sections.find((name) => name === section)
  const names = rest.map((key) => (/^\d+$/.test(key) ? String(Number(key) + 1) : fieldName(key)))
  return [known === undefined ? fieldName(section) : sectionWords[known], ...names].join(', ')
}

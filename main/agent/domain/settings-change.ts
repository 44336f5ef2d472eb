import { monitoringSecretsIn, withoutMonitoringSecrets } from '../../../shared/settings/monitoring-secrets.ts'
import type { Settings } from '../../../shared/settings/settings.ts'
import { fieldName } from '../../../shared/settings/settings-words.ts'

/** What is known of the settings of before: that a field was another one, never what it was. */
export type SettingsMarks = {
  readonly fields: Readonly<Record<string, string>>
  readonly folders: Readonly<Record<string, Readonly<Record<string, string>>>>
}

export type SettingsChange = {
  /** "transfer.windows" */
  readonly fields: readonly string[]
  readonly added: readonly string[]
  readonly removed: readonly string[]
  readonly folders: readonly { readonly path: string; readonly fields: readonly string[] }[]
}

const marksOf = (value: object, prefix: string, digest: (text: string) => string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(value)
      // The key has a line of its own.
      .filter(([name, field]) => field !== undefined && name !== 'api_key')
      .map(([name, field]) => [`${prefix}${name}`, digest(JSON.stringify(field))]),
  )

/** Of a secret only that it is there: what is short could be guessed from its mark. */
const monitoringMarks = (settings: Settings): object => ({
  ...withoutMonitoringSecrets(settings).monitoring,
  ...Object.fromEntries(Object.keys(monitoringSecretsIn(settings.monitoring)).map((name) => [name, true])),
})

export const settingsMarks = (settings: Settings, digest: (text: string) => string): SettingsMarks => ({
  fields: {
    ...marksOf(settings.service, 'service.', digest),
    ...marksOf(settings.transfer, 'transfer.', digest),
    ...marksOf(settings.follow, 'follow.', digest),
    ...marksOf(settings.webhooks, 'webhooks.', digest),
    ...marksOf(monitoringMarks(settings), 'monitoring.', digest),
    ...marksOf(settings.app, 'app.', digest),
  },
  folders: Object.fromEntries(
    settings.folders.map(({ path, ...fields }) => [path, marksOf(fields, '', digest)]),
  ),
})

type Marks = Readonly<Record<string, string>>

const differing = (before: Marks, after: Marks): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((name) => before[name] !== after[name])

/** Null where nothing is another. */
export const settingsChange = (before: SettingsMarks, after: SettingsMarks): SettingsChange | null => {
  const change: SettingsChange = {
    fields: differing(before.fields, after.fields),
    added: Object.keys(after.folders).filter((path) => before.folders[path] === undefined),
    removed: Object.keys(before.folders).filter((path) => after.folders[path] === undefined),
    folders: Object.entries(after.folders).flatMap(([path, marks]) => {
      const known = before.folders[path]
      const fields = known === undefined ? [] : differing(known, marks)
      return fields.length === 0 ? [] : [{ path, fields }]
    }),
  }
  const isNone =
    change.fields.length + change.added.length + change.removed.length + change.folders.length === 0
  return isNone ? null : change
}

/** The names of fields inside a sentence. The others have the name that the window shows. */
const fieldWords: Readonly<Record<string, string>> = {
  'service.base_url': 'service address',
  'service.checksum_header': 'checksum header',
  'service.proxy': 'proxy',
  'service.ca_file': 'certificate file',
  'service.upload_hosts': 'allowed upload hosts',
  'transfer.parallel_recordings': 'recordings at once',
  'transfer.parallel_parts': 'parts at once',
  'transfer.limit_mbit_per_s': 'speed limit',
  'transfer.windows': 'upload hours',
  'follow.poll_seconds': 'how often processing is asked for',
  'monitoring.metrics': 'metrics for Prometheus',
  'monitoring.token': 'token for metrics',
  'monitoring.heartbeat_url': 'heartbeat URL',
  'monitoring.heartbeat_seconds': 'how often the heartbeat is sent',
  'monitoring.alert_url': 'alert URL',
  'app.station_name': 'station name',
  'app.theme': 'theme',
  'app.start_at_login': 'start at login',
  'app.keep_awake_while_uploading': 'keep awake while uploading',
  'app.notify_attention': 'notifications of trouble',
  'app.notify_overnight_done': 'notification of the night',
  'app.quiet_hours': 'quiet hours',
  site: 'site',
  device: 'device',
  notes: 'notes',
  include: 'included files',
  exclude: 'excluded files',
  recursive: 'subfolders',
  ignore_existing: 'files that were there before',
  settle_seconds: 'settle time',
  marker_suffix: 'marker file',
  upload_duplicates: 'duplicates',
  part_size_bytes: 'part size',
  after_upload: 'after upload',
}

/** "Speed limit" becomes "speed limit" inside a sentence. */
const fieldInWords = (field: string): string => {
  const name = fieldName(field.slice(field.lastIndexOf('.') + 1))
  return `${name.charAt(0).toLowerCase()}${name.slice(1)}`
}

const wordsOf = (fields: readonly string[]): string =>
  fields.map((field) => fieldWords[field] ?? fieldInWords(field)).join(', ')

export const settingsChangeWords = ({ fields, added, removed, folders }: SettingsChange): string =>
  [
    ...(fields.length === 0 ? [] : [wordsOf(fields)]),
    ...added.map((path) => `folder ${path} added`),
    ...removed.map((path) => `folder ${path} no longer watched`),
    ...folders.map(({ path, fields: changed }) => `folder ${path} (${wordsOf(changed)})`),
  ].join('; ')

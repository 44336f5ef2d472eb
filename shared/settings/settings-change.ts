import { monitoringSecretsIn, withoutMonitoringSecrets } from './monitoring-secrets.ts'
import { sections, settingName } from './setting-names.ts'
import type { DraftSettings } from './settings.ts'

/** Every field of the settings by its path ("transfer.windows"), and the fields of each folder by the folder's path. */
export type SettingsFields<V = unknown> = {
  readonly fields: Readonly<Record<string, V>>
  readonly folders: Readonly<Record<string, Readonly<Record<string, V>>>>
}

/** The journal stores this type, so later versions may only add fields. */
export type SettingsChange = {
  /** Paths of fields, such as "transfer.windows". */
  readonly fields: readonly string[]
  /** `added`, `removed` and `folders` identify watched folders by their paths. */
  readonly added: readonly string[]
  readonly removed: readonly string[]
  readonly folders: readonly { readonly path: string; readonly fields: readonly string[] }[]
  /** True if the folders that stay in the list changed their order. Entries of earlier versions lack this field. */
  readonly reordered?: boolean
}

const isSet = ([, value]: readonly [string, unknown]): boolean => value !== undefined

/**
 * Omits the API key: its changes have their own activity entries. For each monitoring secret, the result shows only
 * that it is set, never its value.
 */
export const settingsFields = (settings: DraftSettings): SettingsFields => {
  const { api_key: _key, ...service } = settings.service ?? {}
  const secrets = Object.keys(monitoringSecretsIn(settings.monitoring)).map((name) => [name, true])
  const monitoring = {
    ...withoutMonitoringSecrets(settings).monitoring,
    ...Object.fromEntries(secrets),
  }
  const comparable = { ...settings, service, monitoring }
  return {
    fields: Object.fromEntries(
      sections
        .filter((section) => section !== 'folders')
        .flatMap((section) =>
          Object.entries(comparable[section] ?? {})
            .filter(isSet)
            .map(([name, value]) => [`${section}.${name}`, value]),
        ),
    ),
    folders: Object.fromEntries(
      settings.folders.map(({ path, ...fields }) => [
        path,
        Object.fromEntries(Object.entries(fields).filter(isSet)),
      ]),
    ),
  }
}

const mapValues = <V, W>(record: Readonly<Record<string, V>>, map: (value: V) => W): Record<string, W> =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]))

/** Returns digests for a later comparison, because the journal stores no values of settings. */
export const settingsDigests = (
  settings: DraftSettings,
  digest: (text: string) => string,
): SettingsFields<string> => {
  const { fields, folders } = settingsFields(settings)
  const digestOf = (value: unknown) => digest(JSON.stringify(value))
  return {
    fields: mapValues(fields, digestOf),
    folders: mapValues(folders, (folderFields) => mapValues(folderFields, digestOf)),
  }
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

const changedFields = (
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => !isSame(before[name], after[name]),
  )

/** Compares settings. Null if nothing changed. */
export const settingsChange = (before: SettingsFields, after: SettingsFields): SettingsChange | null => {
  const [oldPaths, currentPaths] = [Object.keys(before.folders), Object.keys(after.folders)]
  const keptPaths = currentPaths.filter((path) => before.folders[path] !== undefined)
  const keptPathsBefore = oldPaths.filter((path) => after.folders[path] !== undefined)
  const change: SettingsChange = {
    fields: changedFields(before.fields, after.fields),
    added: currentPaths.filter((path) => before.folders[path] === undefined),
    removed: oldPaths.filter((path) => after.folders[path] === undefined),
    folders: keptPaths
      .map((path) => ({ path, fields: changedFields(before.folders[path] ?? {}, after.folders[path] ?? {}) }))
      .filter(({ fields }) => fields.length > 0),
    ...(isSame(keptPaths, keptPathsBefore) ? {} : { reordered: true }),
  }
  const { fields, added, removed, folders, reordered = false } = change
  return fields.length + added.length + removed.length + folders.length === 0 && !reordered ? null : change
}

/** The journal's name for the metrics token. The setting itself is named `monitoring.metrics.token`. */
const TOKEN_FIELD = 'monitoring.token'

/** "Speed limit" becomes "speed limit" inside a sentence. */
const wordsOf = (fields: readonly string[]): string =>
  fields
    .map((field) => {
      const name = field === TOKEN_FIELD ? 'Token for metrics' : settingName(field)
      return `${name.charAt(0).toLowerCase()}${name.slice(1)}`
    })
    .join(', ')

/** "upload hours; folder /rec added", for the sentence of an activity. */
export const settingsChangeWords = ({
  fields,
  added,
  removed,
  folders,
  reordered = false,
}: SettingsChange): string =>
  [
    ...(fields.length === 0 ? [] : [wordsOf(fields)]),
    ...added.map((path) => `folder ${path} added`),
    ...removed.map((path) => `folder ${path} no longer watched`),
    ...folders.map(
      ({ path, fields: changed }) => `folder ${path} (${wordsOf(changed.map((name) => `folders.${name}`))})`,
    ),
    ...(reordered ? ['order of the folders'] : []),
  ].join('; ')

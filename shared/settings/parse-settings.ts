import type { z } from 'zod'
import type { Paths } from '../paths/paths.ts'
import { redact } from '../redaction/redact.ts'
import { decodeText } from '../words/decode-text.ts'
import { issueSentence } from '../words/issue-sentence.ts'
import { fieldPath, keysOf } from './field-path.ts'
import { parseJson, type TextPosition } from './json-document.ts'
import { isLoopbackAddress } from './loopback.ts'
import { type ManagedSettings, managedSettingsSchema } from './managed-settings.ts'
import { type DraftSettings, draftSettingsSchema } from './settings.ts'
import type { FieldPath, SettingsFault } from './settings-fault.ts'
import { settingsFaults } from './settings-faults.ts'

/** Real settings are far smaller. A recording that a user picks by mistake is larger. */
export const MAX_SETTINGS_BYTES = 1024 * 1024

/** A parsed settings file. App, agent and commands share this parser, so they accept the same files. */
export type ParsedSettings<S> =
  /** The file does not match the schema. */
  | { readonly settings: null; readonly faults: readonly SettingsFault[] }
  | {
      readonly settings: S
      /** Errors that the schema accepts, so that files of earlier versions still load. */
      readonly faults: readonly SettingsFault[]
      /** Settings that have no effect. */
      readonly warnings: readonly SettingsFault[]
      readonly positionOf: (path: FieldPath) => TextPosition
    }

type Fields = {
  readonly service?:
    | { readonly api_key_file?: string | undefined; readonly ca_file?: string | undefined }
    | undefined
  readonly monitoring?:
    | { readonly metrics?: { readonly address: string; readonly token?: string | undefined } | undefined }
    | undefined
}

type FieldMessage = { readonly path: FieldPath; readonly message: string }

/** A relative path would mean a different file for each working directory. */
const relativeFileMessages = ({ service }: Fields, paths: Paths): readonly FieldMessage[] =>
  (['api_key_file', 'ca_file'] as const).flatMap((field) => {
    const file = service?.[field]
    return file === undefined || paths.isAbsolute(file)
      ? []
      : [{ path: ['service', field], message: 'Give the full path, starting at the root of the drive.' }]
  })

/** Only a warning: the agent starts, but serves no metrics. */
const openMetricsMessages = ({ monitoring }: Fields): readonly FieldMessage[] => {
  const metrics = monitoring?.metrics
  if (metrics === undefined || metrics.token !== undefined || isLoopbackAddress(metrics.address)) return []
  const message = `Sluice serves no metrics: ${metrics.address} needs a token of at least 16 characters.`
  return [{ path: ['monitoring', 'metrics'], message }]
}

/**
 * Returns a fault for the issue. If the issue lists unknown fields, returns one fault at the position of each field.
 */
const issueFaults = (
  issue: z.core.$ZodIssue,
  positionOf: (path: FieldPath) => TextPosition,
): readonly SettingsFault[] => {
  if (issue.code !== 'unrecognized_keys')
    return [{ ...positionOf(issue.path), path: issue.path, message: redact(issueSentence(issue)) }]
  return issue.keys.map((key) => ({
    ...positionOf([...issue.path, key]),
    path: issue.path,
    // The name of an unknown field may be the API key, pasted in the wrong place.
    message: redact(issueSentence({ ...issue, keys: [key] })),
  }))
}

const parse = <S extends Fields & Parameters<typeof settingsFaults>[0]>(
  bytes: Uint8Array,
  schema: z.ZodType<S>,
  paths: Paths,
  isWarning: (field: string) => boolean,
): ParsedSettings<S> => {
  const decoded = decodeText(bytes)
  if (!decoded.ok) {
    const { line, column, fault } = decoded
    return { settings: null, faults: [{ line, column, path: null, message: `is ${fault}` }] }
  }
  const json = parseJson(decoded.text)
  if (!json.ok) {
    const { line, column } = json.position
    const message = `is not valid JSON: see line ${line}, column ${column}. ${json.cause}`
    return { settings: null, faults: [{ line, column, path: null, message }] }
  }
  const { positionOf } = json
  const duplicateFaults = json.duplicates.map(({ path, position }) => ({
    ...position,
    path: path.map((key) => (typeof key === 'string' ? redact(key) : key)),
    message: 'This setting appears twice. Remove one of them.',
  }))
  const parsed = schema.safeParse(json.value)
  if (!parsed.success)
    return {
      settings: null,
      faults: [...duplicateFaults, ...parsed.error.issues.flatMap((issue) => issueFaults(issue, positionOf))],
    }
  const settings = parsed.data
  const faultOf = ({ path, message }: FieldMessage): SettingsFault => ({
    ...positionOf(path),
    path,
    message: redact(message),
  })
  const remarks = settingsFaults(settings, paths).map(({ path, message }) => ({
    isOnlyWarning: isWarning(path),
    fault: faultOf({ path: keysOf(path), message }),
  }))
  return {
    settings,
    faults: [
      ...duplicateFaults,
      ...relativeFileMessages(settings, paths).map(faultOf),
      ...remarks.filter(({ isOnlyWarning }) => !isOnlyWarning).map(({ fault }) => fault),
    ],
    warnings: [
      ...remarks.filter(({ isOnlyWarning }) => isOnlyWarning).map(({ fault }) => fault),
      ...openMetricsMessages(settings).map(faultOf),
    ],
    positionOf,
  }
}

/** Parses the station's own file. Overlapping upload hours are only a warning: the first entry applies. */
export const parseSettings = (bytes: Uint8Array, paths: Paths): ParsedSettings<DraftSettings> =>
  parse(bytes, draftSettingsSchema, paths, (field) => field.startsWith('transfer.'))

export const parseManagedSettings = (bytes: Uint8Array, paths: Paths): ParsedSettings<ManagedSettings> =>
  parse(bytes, managedSettingsSchema as unknown as z.ZodType<ManagedSettings>, paths, () => false)

/** "folders[0].site: Write text, in quotes.": the field as the file writes it, for terminals and logs. */
export const faultSentence = ({ path, message }: SettingsFault, file = 'The file'): string =>
  path === null ? `${file} ${message}.` : `${fieldPath(path)}: ${message}`

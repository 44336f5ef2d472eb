import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs'
import { jsonFault } from '../../../shared/json-fault.ts'
import { type ManagedSettings, withManaged } from '../../../shared/managed-settings.ts'
import { monitoringSecretsIn } from '../../../shared/monitoring-secrets.ts'
import { type Paths, pathsOf } from '../../../shared/paths/paths.ts'
import {
  apiKeySchema,
  type DraftSettings,
  describeIssues,
  draftSettingsSchema,
  type ServiceSettings,
  type Settings,
  settingsSchema,
} from '../../../shared/settings.ts'
import { settingsFaults } from '../../../shared/settings-faults.ts'
import { decodeSettingsText } from '../../../shared/settings-text.ts'
import { type KeyRead, readKeyFile } from '../../managed/key-file.ts'
import { SeveralLines } from './program/several-lines.ts'

/** The settings cannot be used; the message says which field and why, one line each. */
class BadSettingsError extends SeveralLines {}

type Environment = Readonly<Record<string, string | undefined>>

/** What stands in the file of the headless command. */
export type OwnSettings = {
  readonly settings: DraftSettings
  /** What is odd in it and yet works. */
  readonly warnings: readonly string[]
  /** Set where others can change the file: no key is used with it then. */
  readonly openTo: string | null
}

/** A station that is managed needs no file of its own. */
export const readOwnSettings = (
  file: string | null,
  paths: Paths = pathsOf(process.platform),
): OwnSettings => {
  if (file === null) return { settings: draftSettingsSchema.parse({}), warnings: [], openTo: null }
  const { bytes, forOthers, byOthers } = readOpened(file)
  const decoded = decodeSettingsText(bytes)
  if (!decoded.ok) throw new BadSettingsError(`${file} is ${decoded.fault}.`)
  const { text } = decoded
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    const { line, column } = jsonFault(text)
    throw new BadSettingsError(`${file} is not valid JSON: see line ${line}, column ${column}.`)
  }
  const parsed = draftSettingsSchema.safeParse(json)
  if (!parsed.success) throw new BadSettingsError(...describeIssues(parsed.error))
  const { data } = parsed
  if (data.service?.api_key !== undefined && forOthers)
    throw new BadSettingsError(
      `${file} holds the API key, and others can read it. Close it: chmod 600 ${file}`,
    )
  if (Object.keys(monitoringSecretsIn(data.monitoring)).length > 0 && forOthers)
    throw new BadSettingsError(
      `${file} holds a token or URL of monitoring, and others can read it. Close it: chmod 600 ${file}`,
    )
  const lines = settingsFaults(data, paths).map(({ path: at, message }) => `${at}: ${message}`)
  // Hours that overlap were taken always: the first of them hold.
  const warnings = lines.filter((line) => line.startsWith('transfer.'))
  if (lines.length > warnings.length)
    throw new BadSettingsError(...lines.filter((line) => !warnings.includes(line)))
  const folders = data.folders.map((folder) => ({ ...folder, path: paths.resolve(folder.path, '.') }))
  return { settings: { ...data, folders }, warnings, openTo: byOthers ? file : null }
}

/**
 * What holds: the managed settings before the own ones. The key is the one that stands in them, in the file that they
 * name, or in the environment. `problem` is about the key file: without a key recordings are still collected.
 */
export const settingsInForce = (
  own: OwnSettings,
  managed: ManagedSettings | null,
  environment: Environment,
  readKey: (file: string) => KeyRead = readKeyFile,
): { readonly settings: Settings; readonly apiKey: string | null; readonly problem: string | null } => {
  const merged = withManaged(own.settings, managed)
  if (merged.service === undefined)
    throw new BadSettingsError('service: no address; set service.base_url in the settings')
  const parsed = settingsSchema.safeParse(merged)
  if (!parsed.success) throw new BadSettingsError(...describeIssues(parsed.error))
  const settings = parsed.data
  const { apiKey, problem } = keyOf(settings.service, environment, readKey)
  // Whoever changes the address or the folders decides where the key and which files are sent.
  if (apiKey !== null && own.openTo !== null)
    throw new BadSettingsError(
      `${own.openTo} says where the API key is sent, and others can change it. Close it: chmod go-w ${own.openTo}`,
    )
  return { settings, apiKey, problem }
}

/** Without managed settings. */
export const readSettings = (
  file: string,
  environment: Environment,
  paths: Paths = pathsOf(process.platform),
): { readonly settings: Settings; readonly apiKey: string | null } => {
  const { settings, apiKey } = settingsInForce(readOwnSettings(file, paths), null, environment)
  return { settings, apiKey }
}

const keyOf = (
  { api_key, api_key_file }: ServiceSettings,
  { SLUICE_API_KEY }: Environment,
  readKey: (file: string) => KeyRead,
): { readonly apiKey: string | null; readonly problem: string | null } => {
  if (api_key !== undefined) return { apiKey: api_key, problem: null }
  if (api_key_file !== undefined) {
    const read = readKey(api_key_file)
    return read.ok ? { apiKey: read.key, problem: null } : { apiKey: null, problem: read.sentence }
  }
  const fromEnvironment = SLUICE_API_KEY ? apiKeySchema.safeParse(SLUICE_API_KEY).data : undefined
  return { apiKey: fromEnvironment ?? null, problem: null }
}

const OTHERS = 0o077
const OTHERS_WRITE = 0o022

type Opened = { readonly bytes: Uint8Array; readonly forOthers: boolean; readonly byOthers: boolean }

/** Content and rights of one and the same file. Windows keeps rights elsewhere, and its mode says nothing of them. */
const readOpened = (file: string): Opened => {
  try {
    const handle = openSync(file, 'r')
    try {
      const rights = process.platform === 'win32' ? 0 : fstatSync(handle).mode
      const forOthers = (rights & OTHERS) !== 0
      const byOthers = (rights & OTHERS_WRITE) !== 0
      return { bytes: readFileSync(handle), forOthers, byOthers }
    } finally {
      closeSync(handle)
    }
  } catch {
    throw new BadSettingsError(`The settings file ${file} cannot be read.`)
  }
}

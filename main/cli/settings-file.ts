import { type Paths, pathsOf } from '../../shared/paths/paths.ts'
import { jsonLine } from '../../shared/settings/json-line.ts'
import { type Judged, judgeOwnSettings } from '../../shared/settings/judge-settings.ts'
import { type ManagedSettings, withManaged } from '../../shared/settings/managed-settings.ts'
import { monitoringSecretsIn } from '../../shared/settings/monitoring-secrets.ts'
import { MAX_SETTINGS_BYTES } from '../../shared/settings/read-settings-file.ts'
import {
  apiKeySchema,
  type DraftSettings,
  describeIssues,
  draftSettingsSchema,
  type ServiceSettings,
  type Settings,
  settingsSchema,
} from '../../shared/settings/settings.ts'
import { decodeSettingsText } from '../../shared/settings/settings-text.ts'
import { isDenied, missingRights } from '../local-files/missing-rights.ts'
import { NotAFileError, TooLargeError } from '../local-files/plain-file.ts'
import { type KeyRead, readKeyFile } from '../managed/key-file.ts'
import { closeWords, isSecretOpen, type OpenedFile, readWithRights, whyUntrusted } from '../managed/rights.ts'
import { MultiLineError } from './program/multi-line-error.ts'

/** Unusable settings. The message has one line per field, with the reason. */
class BadSettingsError extends MultiLineError {}

type Environment = Readonly<Record<string, string | undefined>>

/** The settings file of a station without a window. */
export type OwnSettings = {
  readonly settings: DraftSettings
  /** Oddities that still work. */
  readonly warnings: readonly string[]
  /** Why the agent must not use them: a different user owns or can change the file. Commands may still show them. */
  readonly untrusted: string | null
}

/** `file` is null for a station that only has managed settings. */
export const readOwnSettings = (
  file: string | null,
  paths: Paths = pathsOf(process.platform),
): OwnSettings => {
  if (file === null) return { settings: draftSettingsSchema.parse({}), warnings: [], untrusted: null }
  const judged = judgeOwnFile(file, paths)
  // `settings check` prints the file name itself; other callers do not.
  const named = (sentence: string) => sentence.replace(/^The file is /, `${file} is `)
  if (!judged.ok) throw new BadSettingsError(...judged.faults.map(({ sentence }) => named(sentence)))
  const { settings, warnings, untrusted } = judged
  const folders = settings.folders.map((folder) => ({ ...folder, path: paths.resolve(folder.path, '.') }))
  return { settings: { ...settings, folders }, warnings: warnings.map(({ sentence }) => sentence), untrusted }
}

/** The check shared by `run` and `settings check`, including file permissions. Throws if the file is unreadable. */
export const judgeOwnFile = (
  file: string,
  paths: Paths = pathsOf(process.platform),
): Judged<DraftSettings> & { readonly untrusted: string | null } => {
  const { bytes, rights } = readOpened(file)
  const untrusted = whyUntrusted(file, rights)
  const refuse = (sentence: string, line: number | null = null) =>
    ({ ok: false, faults: [{ line, sentence }], untrusted }) as const
  const decoded = decodeSettingsText(bytes)
  if (!decoded.ok) return refuse(`${file} is ${decoded.fault}.`)
  const judged = judgeOwnSettings(decoded.text, paths)
  if (!judged.ok) return { ...judged, untrusted }
  if (isSecretOpen(rights)) {
    const { service, monitoring } = judged.settings
    if (service?.api_key !== undefined)
      return refuse(
        `${file} holds the API key, and others can read it. ${closeWords(file)}`,
        jsonLine(decoded.text, ['service', 'api_key']),
      )
    if (Object.keys(monitoringSecretsIn(monitoring)).length > 0)
      return refuse(
        `${file} holds a token or URL of monitoring, and others can read it. ${closeWords(file)}`,
        jsonLine(decoded.text, ['monitoring']),
      )
  }
  return { ...judged, untrusted }
}

/**
 * Managed settings override the station's own. The key comes from the settings, from the key file they name, or from the
 * environment. `problem` is about the key file only: without a key the agent still queues recordings.
 */
export const effectiveSettings = (
  own: OwnSettings,
  managed: ManagedSettings | null,
  environment: Environment,
  readKey: (file: string) => KeyRead = readKeyFile,
): { readonly settings: Settings; readonly apiKey: string | null; readonly problem: string | null } => {
  // A user who can change the address or folders decides where the key goes and which files are sent.
  if (own.untrusted !== null) throw new BadSettingsError(own.untrusted)
  const merged = withManaged(own.settings, managed)
  if (merged.service === undefined)
    throw new BadSettingsError('service: no address; set service.base_url in the settings')
  const parsed = settingsSchema.safeParse(merged)
  if (!parsed.success) throw new BadSettingsError(...describeIssues(parsed.error))
  const settings = parsed.data
  const { apiKey, problem } = keyOf(settings.service, environment, readKey)
  return { settings, apiKey, problem }
}

/** Ignores managed settings. */
export const readSettings = (
  file: string,
  environment: Environment,
  paths: Paths = pathsOf(process.platform),
): { readonly settings: Settings; readonly apiKey: string | null } => {
  const { settings, apiKey } = effectiveSettings(readOwnSettings(file, paths), null, environment)
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

const readOpened = (file: string): OpenedFile => {
  try {
    return readWithRights(file, MAX_SETTINGS_BYTES)
  } catch (error) {
    if (error instanceof TooLargeError)
      throw new BadSettingsError(`${file} is no settings file: it is far too large for one.`)
    if (error instanceof NotAFileError) throw new BadSettingsError(`${file} is not a file.`)
    if (isDenied(error)) throw new BadSettingsError(missingRights(file))
    throw new BadSettingsError(`The settings file ${file} cannot be read.`)
  }
}

import { readFileSync } from 'node:fs'
import path from 'node:path'
import { type Paths, pathsOf } from '../../shared/paths/paths.ts'
import { type ManagedSettings, withManaged } from '../../shared/settings/managed-settings.ts'
import { monitoringSecretsIn } from '../../shared/settings/monitoring-secrets.ts'
import { faultSentence, MAX_SETTINGS_BYTES, parseSettings } from '../../shared/settings/parse-settings.ts'
import {
  apiKeySchema,
  type DraftSettings,
  describeIssues,
  draftSettingsSchema,
  type ServiceSettings,
  type Settings,
  settingsSchema,
} from '../../shared/settings/settings.ts'
import type { SettingsFault } from '../../shared/settings/settings-fault.ts'
import { isDenied, missingRights } from '../local-files/missing-rights.ts'
import { NotAFileError, TooLargeError } from '../local-files/plain-file.ts'
import { type KeyRead, readKeyFile } from '../managed/key-file.ts'
import {
  exposesSecrets,
  type OpenedFile,
  readWithRights,
  restrictAccessWords,
  whyUntrusted,
} from '../managed/rights.ts'
import { MultiLineError } from './program/multi-line-error.ts'
import { KEY_CREDENTIAL } from './service/service-files.ts'

/** Unusable settings. The message has one line per fault. */
class BadSettingsError extends MultiLineError {}

type Environment = Readonly<Record<string, string | undefined>>

/** The content of a station's own settings file. */
export type OwnSettings = {
  readonly settings: DraftSettings
  /** Warnings about settings that work, but probably not as intended. */
  readonly warnings: readonly string[]
  /**
   * Why the agent must not use these settings: another user owns or can change the file. Commands may still show these
   * settings. Null if the agent may use them.
   */
  readonly untrusted: string | null
}

/** `file` is null for a station without a settings file of its own. */
export const readOwnSettings = (
  file: string | null,
  paths: Paths = pathsOf(process.platform),
): OwnSettings => {
  if (file === null) return { settings: draftSettingsSchema.parse({}), warnings: [], untrusted: null }
  const { settings, faults, warnings, untrusted } = checkOwnFile(file, paths)
  const sentenceOf = (fault: SettingsFault) => faultSentence(fault, file)
  if (settings === null || faults.length > 0) throw new BadSettingsError(...faults.map(sentenceOf))
  const folders = settings.folders.map((folder) => ({ ...folder, path: paths.resolve(folder.path, '.') }))
  return { settings: { ...settings, folders }, warnings: warnings.map(sentenceOf), untrusted }
}

/** Checks the settings and the file permissions, for `run` and `settings check`. Throws if the file is unreadable. */
export const checkOwnFile = (
  file: string,
  paths: Paths = pathsOf(process.platform),
): {
  readonly settings: DraftSettings | null
  readonly faults: readonly SettingsFault[]
  readonly warnings: readonly SettingsFault[]
  readonly untrusted: string | null
} => {
  const { bytes, rights } = readOwnFile(file)
  const untrusted = whyUntrusted(file, rights)
  const parsed = parseSettings(bytes, paths)
  if (parsed.settings === null) return { ...parsed, warnings: [], untrusted }
  const { settings, positionOf } = parsed
  const exposedFault = (secret: string, field: readonly string[]): SettingsFault => ({
    ...positionOf(field),
    path: null,
    message: `holds ${secret}, and others can read it. ${restrictAccessWords(file)}`,
  })
  const exposedSecrets = !exposesSecrets(rights)
    ? []
    : settings.service?.api_key !== undefined
      ? [exposedFault('the API key', ['service', 'api_key'])]
      : Object.keys(monitoringSecretsIn(settings.monitoring)).length > 0
        ? [exposedFault('a monitoring token or URL', ['monitoring'])]
        : []
  return { settings, faults: [...parsed.faults, ...exposedSecrets], warnings: parsed.warnings, untrusted }
}

/**
 * Merges the managed settings into the station's own. The key comes from the settings, otherwise from the key file that
 * they name, otherwise from the environment or systemd. `problem` says why the key file is unusable. A missing key is
 * no error, because the agent still queues recordings.
 */
export const effectiveSettings = (
  own: OwnSettings,
  managed: ManagedSettings | null,
  environment: Environment,
  readKey: (file: string) => KeyRead = readKeyFile,
): { readonly settings: Settings; readonly apiKey: string | null; readonly problem: string | null } => {
  // A user who can change the file could send the key to another address, or have private files uploaded.
  if (own.untrusted !== null) throw new BadSettingsError(own.untrusted)
  const mergedSettings = withManaged(own.settings, managed)
  if (mergedSettings.service === undefined)
    throw new BadSettingsError('service: no address; set service.base_url in the settings')
  const parsed = settingsSchema.safeParse(mergedSettings)
  if (!parsed.success) throw new BadSettingsError(...describeIssues(parsed.error))
  const settings = parsed.data
  const { apiKey, problem } = keyOf(settings.service, environment, readKey)
  return { settings, apiKey, problem }
}

const keyOf = (
  { api_key, api_key_file }: ServiceSettings,
  environment: Environment,
  readKey: (file: string) => KeyRead,
): { readonly apiKey: string | null; readonly problem: string | null } => {
  if (api_key !== undefined) return { apiKey: api_key, problem: null }
  if (api_key_file !== undefined) {
    const result = readKey(api_key_file)
    return result.ok ? { apiKey: result.key, problem: null } : { apiKey: null, problem: result.sentence }
  }
  const environmentKey = environment.SLUICE_API_KEY || credentialIn(environment)
  return { apiKey: apiKeySchema.safeParse(environmentKey).data ?? null, problem: null }
}

/**
 * The key that systemd passes as a credential. systemd reads the key file as root, so the agent needs no right to it.
 */
export const credentialIn = ({ CREDENTIALS_DIRECTORY: folder }: Environment): string | undefined => {
  if (!folder) return undefined
  try {
    return readFileSync(path.join(folder, KEY_CREDENTIAL), 'utf8').trim()
  } catch {
    return undefined
  }
}

const readOwnFile = (file: string): OpenedFile => {
  try {
    return readWithRights(file, MAX_SETTINGS_BYTES)
  } catch (error) {
    if (error instanceof TooLargeError)
      throw new BadSettingsError(`${file} is too large for a settings file.`)
    if (error instanceof NotAFileError) throw new BadSettingsError(`${file} is not a file.`)
    if (isDenied(error)) throw new BadSettingsError(missingRights(file))
    throw new BadSettingsError(`The settings file ${file} cannot be read.`)
  }
}

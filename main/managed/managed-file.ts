import { existsSync } from 'node:fs'
import { type Paths, pathsOf, windowsPaths } from '../../shared/paths/paths.ts'
import type { ManagedSettings } from '../../shared/settings/managed-settings.ts'
import { monitoringSecretsIn } from '../../shared/settings/monitoring-secrets.ts'
import {
  faultSentence,
  MAX_SETTINGS_BYTES,
  parseManagedSettings,
} from '../../shared/settings/parse-settings.ts'
import { withPolicies } from '../../shared/settings/policy-settings.ts'
import { hasProxyCredentials } from '../../shared/settings/proxy-credentials.ts'
import type { SettingsFault } from '../../shared/settings/settings-fault.ts'
import { isFileInUse } from '../local-files/file-in-use.ts'
import { isDenied, missingRights } from '../local-files/missing-rights.ts'
import { NotAFileError, TooLargeError } from '../local-files/plain-file.ts'
import { exposesSecrets, type Rights, readWithRights, restrictAccessWords, whyUntrusted } from './rights.ts'
import { readWindowsPolicies } from './windows-policy.ts'
import { readWhileTrusted, UntrustedError } from './windows-trust.ts'

/** The default place of the administrator's file. `--managed` can name a different file. */
export const managedFileOf = (
  platform: NodeJS.Platform,
  environment: Readonly<Record<string, string | undefined>>,
): string => {
  switch (platform) {
    case 'win32':
      return windowsPaths.join(environment.ProgramData ?? 'C:\\ProgramData', 'Sluice/settings.json')
    case 'darwin':
      return '/Library/Application Support/Sluice/settings.json'
    default:
      return '/etc/sluice/settings.json'
  }
}

export type ManagedRead =
  | { readonly kind: 'missing' }
  /** On Windows, another program has the file open, so its content is unknown for the moment. */
  | { readonly kind: 'held' }
  | { readonly kind: 'good'; readonly managed: ManagedSettings; readonly warnings: readonly SettingsFault[] }
  /**
   * `reason` is one line. `faults` has an entry for each wrong setting, and is empty if the problem is not in the
   * settings. Neither contains the API key.
   */
  | { readonly kind: 'bad'; readonly reason: string; readonly faults: readonly SettingsFault[] }

const bad = (reason: string, faults: readonly SettingsFault[] = []): ManagedRead => ({
  kind: 'bad',
  reason,
  faults,
})

const whyExposed = (
  file: string,
  rights: Rights,
  { service, monitoring = {} }: ManagedSettings,
): string | null => {
  if (!exposesSecrets(rights)) return null
  if (service?.api_key !== undefined)
    return `${file} holds the API key, and others can read it. Move the key to a file of its own (service.api_key_file), or keep it here. ${restrictAccessWords(file)}`
  const secret =
    Object.keys(monitoringSecretsIn(monitoring)).length > 0
      ? 'a monitoring token or URL'
      : hasProxyCredentials(service?.proxy ?? '')
        ? 'the password of the proxy'
        : null
  return secret === null
    ? null
    : `${file} holds ${secret}, and others can read it. ${restrictAccessWords(file)}`
}

/** Joins the faults into one line, for the station's problem. */
const reasonOf = (file: string, faults: readonly SettingsFault[]): string => {
  const sentences = faults.map((fault) => faultSentence(fault, file)).join('; ')
  return faults[0]?.path === null ? sentences : `${file}: ${sentences}`
}

const NO_POLICIES: ReadonlyMap<string, string> = new Map()

/** Only administrators can write policies, so there are no rights to check. */
const readPoliciesOnly = (policies: ReadonlyMap<string, string>, paths: Paths): ManagedRead => {
  const parsed = parseManagedSettings(withPolicies(Buffer.from('{}'), policies), paths)
  const { settings: managed, faults } = parsed
  if (managed === null || faults.length > 0) return bad(reasonOf('The policy of Sluice', faults), faults)
  return { kind: 'good', managed, warnings: parsed.warnings }
}

/** Reads the administrator's file. On Windows, policies override the settings of the default file. */
export const readManagedFile = (
  file: string,
  paths: Paths = pathsOf(process.platform),
  platform: NodeJS.Platform = process.platform,
  readPolicies: () => ReadonlyMap<string, string> = readWindowsPolicies,
): ManagedRead => {
  const isDefaultFile = paths.same(file, managedFileOf(platform, process.env))
  let policies = NO_POLICIES
  try {
    if (isDefaultFile) policies = readPolicies()
  } catch (error) {
    // The reason is one line, but the message of a missing module has several.
    return bad((error as Error).message.split('\n', 1)[0]!)
  }
  try {
    if (policies.size > 0 && !existsSync(file)) return readPoliciesOnly(policies, paths)
    const trustsSelf = !isDefaultFile
    const { bytes, rights } = readWhileTrusted({ file, trustsSelf, holdsKey: false }, () =>
      readWithRights(file, MAX_SETTINGS_BYTES),
    )
    const untrusted = whyUntrusted(file, rights)
    if (untrusted !== null) return bad(untrusted)
    const parsed = parseManagedSettings(withPolicies(bytes, policies), paths)
    const { settings: managed, faults } = parsed
    if (managed === null || faults.length > 0) return bad(reasonOf(file, faults), faults)
    const exposure = whyExposed(file, rights, managed)
    if (exposure !== null) return bad(exposure)
    return { kind: 'good', managed, warnings: parsed.warnings }
  } catch (error) {
    if (error instanceof UntrustedError) return bad(error.message)
    if (error instanceof TooLargeError) return bad(`${file} is larger than 1 MB`)
    if (error instanceof NotAFileError) return bad(`${file} is not a file`)
    const { code } = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'missing' }
    if (platform === 'win32' && isFileInUse(error)) return { kind: 'held' }
    return bad(isDenied(error) ? missingRights(file) : `${file} cannot be read (${code})`)
  }
}

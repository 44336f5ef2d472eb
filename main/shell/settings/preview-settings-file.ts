import { open } from 'node:fs/promises'
import path from 'node:path'
import type { SettingsFilePreview } from '../../../shared/ipc/settings-file-preview.ts'
import { type Paths, pathsOf } from '../../../shared/paths/paths.ts'
import { monitoringSecretsIn, withoutMonitoringSecrets } from '../../../shared/settings/monitoring-secrets.ts'
import { MAX_SETTINGS_BYTES, parseSettings } from '../../../shared/settings/parse-settings.ts'
import { hasProxyCredentials, withoutProxyCredentials } from '../../../shared/settings/proxy-credentials.ts'
import { faultInWords } from '../../../shared/settings/settings-words.ts'
import { READ_FLAGS } from '../../local-files/plain-file.ts'
import { Refused } from '../../station-store/refused.ts'

/** Users fix the first faults before they read more. */
const MAX_FAULTS = 20

/**
 * Returns the settings of a file to import, without its secrets: API key, monitoring secrets and proxy credentials. If
 * the file has faults, returns the faults instead.
 */
export const previewSettingsFile = (name: string, bytes: Uint8Array, paths: Paths): SettingsFilePreview => {
  const { settings, faults } = parseSettings(bytes, paths)
  if (settings === null || faults.length > 0)
    return {
      kind: 'refused',
      name,
      faults: faults
        .slice(0, MAX_FAULTS)
        .map((fault) => ({ line: fault.line, sentence: faultInWords(fault) })),
    }
  const { service: fileService, ...rest } = withoutProxyCredentials(withoutMonitoringSecrets(settings))
  const { api_key, ...service } = fileService ?? {}
  return {
    kind: 'readable',
    name,
    settings: fileService === undefined ? rest : { service: service as typeof fileService, ...rest },
    holdsKey: api_key !== undefined,
    holdsMonitoringSecrets: Object.keys(monitoringSecretsIn(settings.monitoring)).length > 0,
    holdsProxyCredentials: hasProxyCredentials(settings.service?.proxy ?? ''),
  }
}

/** Reads the file that the user picked for an import, unless it is too large for a settings file. */
export const readPickedSettings = async (file: string): Promise<SettingsFilePreview> => {
  const name = path.basename(file)
  const handle = await open(file, READ_FLAGS).catch(() => {
    throw new Refused(
      `${file} cannot be opened. Check that it still exists and that you have the right to read it.`,
    )
  })
  try {
    const stat = await handle.stat()
    const refused = (sentence: string): SettingsFilePreview => ({
      kind: 'refused',
      name,
      faults: [{ line: null, sentence }],
    })
    if (!stat.isFile()) return refused('This is not a file.')
    if (stat.size > MAX_SETTINGS_BYTES) return refused('This file is too large for a settings file.')
    return previewSettingsFile(name, await handle.readFile(), pathsOf(process.platform))
  } finally {
    await handle.close()
  }
}

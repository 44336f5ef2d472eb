import { effectiveSettings, readOwnSettings } from '../../main/cli/settings-file.ts'
import { type Paths, pathsOf } from '../../shared/paths/paths.ts'

/** Reads the settings file of a station, without managed settings. */
export const readSettings = (
  file: string,
  environment: Readonly<Record<string, string | undefined>> = {},
  paths: Paths = pathsOf(process.platform),
) => {
  const { settings, apiKey } = effectiveSettings(readOwnSettings(file, paths), null, environment)
  return { settings, apiKey }
}

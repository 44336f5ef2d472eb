import { readFileSync } from 'node:fs'
import path from 'node:path'
import { apiKeySchema, describeIssues, type Settings, settingsSchema } from '../../../shared/settings.ts'

/** The settings cannot be used; the message says which field and why, one line each. */
class BadSettingsError extends Error {}

/** Reads the settings of the headless command. Folder paths may be relative to the settings file. */
export const readSettings = (
  file: string,
  environment: Readonly<Record<string, string | undefined>>,
): { readonly settings: Settings; readonly apiKey: string | null } => {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch {
    throw new BadSettingsError(`The settings file ${file} cannot be read.`)
  }
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (error) {
    throw new BadSettingsError(`${file} is not valid JSON: ${error instanceof Error ? error.message : ''}`)
  }
  const parsed = settingsSchema.safeParse(json)
  if (!parsed.success) throw new BadSettingsError(describeIssues(parsed.error).join('\n'))
  const { data } = parsed
  const base = path.dirname(path.resolve(file))
  const fromEnvironment = environment.SLUICE_API_KEY
  const key = data.service.api_key ?? (fromEnvironment ? apiKeySchema.safeParse(fromEnvironment).data : null)
  return {
    settings: {
      ...data,
      folders: data.folders.map((folder) => ({ ...folder, path: path.resolve(base, folder.path) })),
    },
    apiKey: key ?? null,
  }
}

import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { apiKeySchema, describeIssues, type Settings, settingsSchema } from '../../../shared/settings.ts'
import { jsonFault } from './json-fault.ts'

/** The settings cannot be used; the message says which field and why, one line each. */
class BadSettingsError extends Error {}

/** Reads the settings of the headless command. Folder paths may be relative to the settings file. */
export const readSettings = (
  file: string,
  environment: Readonly<Record<string, string | undefined>>,
): { readonly settings: Settings; readonly apiKey: string | null } => {
  const { text, forOthers, byOthers } = readOpened(file)
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    const { line, column } = jsonFault(text)
    throw new BadSettingsError(`${file} is not valid JSON: see line ${line}, column ${column}.`)
  }
  const parsed = settingsSchema.safeParse(json)
  if (!parsed.success) throw new BadSettingsError(describeIssues(parsed.error).join('\n'))
  const { data } = parsed
  if (data.service.api_key !== undefined && forOthers)
    throw new BadSettingsError(
      `${file} holds the API key, and others can read it. Close it: chmod 600 ${file}`,
    )
  const base = path.dirname(path.resolve(file))
  const fromEnvironment = environment.SLUICE_API_KEY
  const key = data.service.api_key ?? (fromEnvironment ? apiKeySchema.safeParse(fromEnvironment).data : null)
  // Whoever changes the address or the folders decides where the key and which files are sent.
  if (key != null && byOthers)
    throw new BadSettingsError(
      `${file} says where the API key is sent, and others can change it. Close it: chmod go-w ${file}`,
    )
  return {
    settings: {
      ...data,
      folders: data.folders.map((folder) => ({ ...folder, path: path.resolve(base, folder.path) })),
    },
    apiKey: key ?? null,
  }
}

const OTHERS = 0o077
const OTHERS_WRITE = 0o022

type Opened = { readonly text: string; readonly forOthers: boolean; readonly byOthers: boolean }

/** Text and rights of one and the same file. Windows keeps rights elsewhere, and its mode says nothing of them. */
const readOpened = (file: string): Opened => {
  try {
    const handle = openSync(file, 'r')
    try {
      const rights = process.platform === 'win32' ? 0 : fstatSync(handle).mode
      const forOthers = (rights & OTHERS) !== 0
      const byOthers = (rights & OTHERS_WRITE) !== 0
      return { text: readFileSync(handle, 'utf8'), forOthers, byOthers }
    } finally {
      closeSync(handle)
    }
  } catch {
    throw new BadSettingsError(`The settings file ${file} cannot be read.`)
  }
}

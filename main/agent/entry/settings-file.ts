import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { jsonFault } from '../../../shared/json-fault.ts'
import { type Paths, pathsOf } from '../../../shared/paths/paths.ts'
import {
  apiKeySchema,
  describeIssues,
  foldersTwice,
  type Settings,
  settingsSchema,
} from '../../../shared/settings.ts'
import { decodeSettingsText } from '../../../shared/settings-text.ts'

/** The settings cannot be used; the message says which field and why, one line each. */
class BadSettingsError extends Error {}

/** Reads the settings of the headless command. Folder paths may be relative to the settings file. */
export const readSettings = (
  file: string,
  environment: Readonly<Record<string, string | undefined>>,
  paths: Paths = pathsOf(process.platform),
): { readonly settings: Settings; readonly apiKey: string | null } => {
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
  const parsed = settingsSchema.safeParse(json)
  if (!parsed.success) throw new BadSettingsError(describeIssues(parsed.error).join('\n'))
  const { data } = parsed
  if (data.service.api_key !== undefined && forOthers)
    throw new BadSettingsError(
      `${file} holds the API key, and others can read it. Close it: chmod 600 ${file}`,
    )
  const base = path.dirname(path.resolve(file))
  const folders = data.folders.map((folder) => ({ ...folder, path: paths.resolve(base, folder.path) }))
  const twice = foldersTwice(folders, paths)
  if (twice.length > 0)
    throw new BadSettingsError(
      twice.map(({ path: [at], message }) => `folders.${at}.path: ${message}`).join('\n'),
    )
  const fromEnvironment = environment.SLUICE_API_KEY
  const key = data.service.api_key ?? (fromEnvironment ? apiKeySchema.safeParse(fromEnvironment).data : null)
  // Whoever changes the address or the folders decides where the key and which files are sent.
  if (key != null && byOthers)
    throw new BadSettingsError(
      `${file} says where the API key is sent, and others can change it. Close it: chmod go-w ${file}`,
    )
  return {
    settings: { ...data, folders },
    apiKey: key ?? null,
  }
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

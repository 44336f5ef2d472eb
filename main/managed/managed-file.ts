import { jsonFault } from '../../shared/json-fault.ts'
import { type ManagedSettings, managedSettingsSchema } from '../../shared/managed-settings.ts'
import { type Paths, pathsOf, windowsPaths } from '../../shared/paths/paths.ts'
import { redact } from '../../shared/redact.ts'
import { describeIssues } from '../../shared/settings.ts'
import { settingsFaults } from '../../shared/settings-faults.ts'
import { decodeSettingsText } from '../../shared/settings-text.ts'
import { isHeld } from '../held-file.ts'
import { type Rights, readWithRights, TooLargeError } from './rights.ts'
import { UntrustedError, whileTrusted } from './windows-trust.ts'

const MOST_BYTES = 1_048_576

/** Where an administrator puts it; by flag it may be anywhere. */
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
  /** Another program has it for a moment, which happens on Windows: nothing is known of it. */
  | { readonly kind: 'held' }
  | { readonly kind: 'good'; readonly managed: ManagedSettings; readonly text: string }
  /** What is wrong, one sentence or line for each fault; no word of a key. */
  | { readonly kind: 'bad'; readonly reason: string }

/** Whoever can change it says where recordings and the key are sent. */
const whyNotTrusted = (file: string, rights: Rights, hasKey: boolean): string | null => {
  if (rights === null) return null
  if (rights.owner === 'other')
    return `${file} belongs to another user, so it is not used. Give it to root: chown root ${file}`
  if (rights.othersWrite || rights.groupWrites)
    return `${file} can be changed by others, so it is not used. Close it: chmod go-w ${file}`
  if (hasKey && (rights.othersRead || rights.groupReads))
    return `${file} holds the API key, and others can read it. Use service.api_key_file, or close it: chmod 600 ${file}`
  return null
}

export const parseManaged = (
  text: string,
  paths: Paths,
):
  | { readonly ok: true; readonly managed: ManagedSettings }
  | { readonly ok: false; readonly reason: string } => {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    const { line, column } = jsonFault(text)
    return { ok: false, reason: `it is not valid JSON: see line ${line}, column ${column}` }
  }
  const parsed = managedSettingsSchema.safeParse(json)
  if (!parsed.success) return { ok: false, reason: redact(describeIssues(parsed.error).join('; ')) }
  const managed = parsed.data
  const relative = (managed.folders ?? []).flatMap((folder, at) =>
    paths.isAbsolute(folder.path)
      ? []
      : [{ path: `folders.${at}.path`, message: 'give the whole path, from the drive or the root on' }],
  )
  const faults = [...relative, ...settingsFaults(managed, paths)]
  return faults.length === 0
    ? { ok: true, managed }
    : { ok: false, reason: redact(faults.map(({ path: at, message }) => `${at}: ${message}`).join('; ')) }
}

export const readManagedFile = (
  file: string,
  paths: Paths = pathsOf(process.platform),
  platform: NodeJS.Platform = process.platform,
): ManagedRead => {
  try {
    const trustsSelf = !paths.same(file, managedFileOf(platform, process.env))
    const { bytes, rights } = whileTrusted({ file, trustsSelf, holdsKey: false }, () =>
      readWithRights(file, MOST_BYTES),
    )
    const untrusted = whyNotTrusted(file, rights, false)
    if (untrusted !== null) return { kind: 'bad', reason: untrusted }
    const decoded = decodeSettingsText(bytes)
    if (!decoded.ok) return { kind: 'bad', reason: `${file} is ${decoded.fault}` }
    const parsed = parseManaged(decoded.text, paths)
    if (!parsed.ok) return { kind: 'bad', reason: `${file}: ${parsed.reason}` }
    const open = whyNotTrusted(file, rights, parsed.managed.service?.api_key !== undefined)
    if (open !== null) return { kind: 'bad', reason: open }
    return { kind: 'good', managed: parsed.managed, text: decoded.text }
  } catch (error) {
    if (error instanceof UntrustedError) return { kind: 'bad', reason: error.message }
    if (error instanceof TooLargeError) return { kind: 'bad', reason: `${file} is larger than 1 MB` }
    const { code } = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'missing' }
    if (platform === 'win32' && isHeld(error)) return { kind: 'held' }
    return { kind: 'bad', reason: `${file} cannot be read (${code})` }
  }
}

import { type Paths, pathsOf, windowsPaths } from '../../shared/paths/paths.ts'
import { judgeManagedSettings, type SettingsFinding } from '../../shared/settings/judge-settings.ts'
import type { ManagedSettings } from '../../shared/settings/managed-settings.ts'
import { decodeSettingsText } from '../../shared/settings/settings-text.ts'
import { isFileInUse } from '../local-files/file-in-use.ts'
import { isDenied, missingRights } from '../local-files/missing-rights.ts'
import { NotAFileError, TooLargeError } from '../local-files/plain-file.ts'
import { closeWords, isSecretOpen, type Rights, readWithRights, whyUntrusted } from './rights.ts'
import { UntrustedError, whileTrusted } from './windows-trust.ts'

export const MAX_MANAGED_BYTES = 1_048_576

/** The default place for the administrator's file; a flag can name any other. */
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
  /** Another program holds it for a moment, which happens on Windows. Its content is unknown. */
  | { readonly kind: 'held' }
  | { readonly kind: 'good'; readonly managed: ManagedSettings; readonly text: string }
  /** The problem, as one line and as a list of faults; never quotes a key. */
  | { readonly kind: 'bad'; readonly reason: string; readonly faults: readonly SettingsFinding[] }

const bad = (
  reason: string,
  faults: readonly SettingsFinding[] = [{ line: null, sentence: reason }],
): ManagedRead => ({ kind: 'bad', reason, faults })

const whyKeyIsOpen = (file: string, rights: Rights): string | null =>
  isSecretOpen(rights)
    ? `${file} holds the API key, and others can read it. Use service.api_key_file. ${closeWords(file)}`
    : null

/** Joins the faults into one line, for the station's problem. */
const reasonOf = (faults: readonly SettingsFinding[]): string =>
  faults.map(({ sentence }) => sentence).join('; ')

export const parseManaged = (
  text: string,
  paths: Paths,
):
  | { readonly ok: true; readonly managed: ManagedSettings }
  | { readonly ok: false; readonly reason: string; readonly faults: readonly SettingsFinding[] } => {
  const judged = judgeManagedSettings(text, paths)
  return judged.ok
    ? { ok: true, managed: judged.settings }
    : { ok: false, reason: reasonOf(judged.faults), faults: judged.faults }
}

export const readManagedFile = (
  file: string,
  paths: Paths = pathsOf(process.platform),
  platform: NodeJS.Platform = process.platform,
): ManagedRead => {
  try {
    const trustsSelf = !paths.same(file, managedFileOf(platform, process.env))
    const { bytes, rights } = whileTrusted({ file, trustsSelf, holdsKey: false }, () =>
      readWithRights(file, MAX_MANAGED_BYTES),
    )
    const untrusted = whyUntrusted(file, rights)
    if (untrusted !== null) return bad(untrusted)
    const decoded = decodeSettingsText(bytes)
    if (!decoded.ok) return bad(`${file} is ${decoded.fault}`)
    const parsed = parseManaged(decoded.text, paths)
    if (!parsed.ok) return bad(`${file}: ${parsed.reason}`, parsed.faults)
    const open = parsed.managed.service?.api_key === undefined ? null : whyKeyIsOpen(file, rights)
    if (open !== null) return bad(open)
    return { kind: 'good', managed: parsed.managed, text: decoded.text }
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

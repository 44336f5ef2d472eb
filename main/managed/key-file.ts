import { apiKeySchema } from '../../shared/settings.ts'
import { decodeSettingsText } from '../../shared/settings-text.ts'
import { type Rights, readWithRights, TooLargeError } from './rights.ts'
import { UntrustedError, whileTrusted } from './windows-trust.ts'

const MOST_BYTES = 8_192

export type KeyRead =
  | { readonly ok: true; readonly key: string }
  /** A sentence that holds no word of the file. */
  | { readonly ok: false; readonly sentence: string }

/** Root may let a group read it: that is how a key is given to a service that runs as a user of its own. */
const whyOpen = (file: string, rights: Rights): string | null => {
  if (rights === null) return null
  if (rights.owner === 'other') return `${file} belongs to another user. Give it to root or to this user.`
  if (rights.othersRead || rights.othersWrite || rights.groupWrites)
    return `${file} holds the API key, and others can read or change it. Close it: chmod 600 ${file}`
  if (rights.groupReads && rights.owner !== 'root')
    return `${file} holds the API key, and its group can read it. Close it: chmod 600 ${file}`
  return null
}

/** The key and nothing else, as `service.api_key_file` names it. */
export const readKeyFile = (file: string, read: typeof whileTrusted = whileTrusted): KeyRead => {
  const refuse = (sentence: string): KeyRead => ({ ok: false, sentence })
  try {
    const { bytes, rights } = read({ file, trustsSelf: true, holdsKey: true }, () =>
      readWithRights(file, MOST_BYTES),
    )
    const open = whyOpen(file, rights)
    if (open !== null) return refuse(open)
    const decoded = decodeSettingsText(bytes)
    const text = decoded.ok ? decoded.text.trim() : ''
    const parsed = apiKeySchema.safeParse(text)
    // A key has one line: a certificate or another program's key has several, and would be sent to the service.
    return parsed.success && !/[\r\n]/.test(text)
      ? { ok: true, key: parsed.data }
      : refuse(`${file} does not hold an API key: it must hold the key and nothing else.`)
  } catch (error) {
    if (error instanceof UntrustedError) return refuse(error.message)
    if (error instanceof TooLargeError) return refuse(`${file} is too large to be a key.`)
    const { code } = error as NodeJS.ErrnoException
    return refuse(
      code === 'ENOENT'
        ? `The key file ${file} is missing.`
        : `The key file ${file} cannot be read (${code ?? 'no reason given'}).`,
    )
  }
}

import { apiKeySchema } from '../../shared/settings/settings.ts'
import { decodeText } from '../../shared/words/decode-text.ts'
import { isDenied, missingRights } from '../local-files/missing-rights.ts'
import { NotAFileError, TooLargeError } from '../local-files/plain-file.ts'
import {
  exposesSecrets,
  type OpenedFile,
  type Rights,
  readHandleWithRights,
  readWithRights,
  restrictAccessWords,
} from './rights.ts'
import { readWhileTrusted, UntrustedError } from './windows-trust.ts'

const MAX_BYTES = 8_192

export type KeyRead =
  | { readonly ok: true; readonly key: string }
  /** The sentence contains no text from the file. */
  | { readonly ok: false; readonly sentence: string }

const exposureSentence = (file: string, rights: Rights): string | null => {
  if (rights === null) return null
  if (rights.owner === 'other') return `${file} belongs to another user. Give it to root or to this user.`
  if (rights.othersRead || rights.othersWrite || rights.groupWrites)
    return `${file} holds the API key, and others can read or change it. ${restrictAccessWords(file)}`
  if (exposesSecrets(rights))
    return `${file} holds the API key, and its group can read it. ${restrictAccessWords(file)}`
  return null
}

const keyIn = (file: string, { bytes, rights }: OpenedFile): KeyRead => {
  const exposure = exposureSentence(file, rights)
  if (exposure !== null) return { ok: false, sentence: exposure }
  const decoded = decodeText(bytes)
  const text = decoded.ok ? decoded.text.trim() : ''
  const parsed = apiKeySchema.safeParse(text)
  // A key is one line. A certificate or the key of another program has several lines, and must never reach the service.
  return parsed.success && !/[\r\n]/.test(text)
    ? { ok: true, key: parsed.data }
    : { ok: false, sentence: `${file} does not hold an API key: it must hold the key and nothing else.` }
}

const failureOf = (file: string, error: unknown): string => {
  if (error instanceof UntrustedError) return error.message
  if (error instanceof TooLargeError) return `${file} is too large to be a key.`
  if (error instanceof NotAFileError) return `${file} is not a file, so it holds no key.`
  if (isDenied(error)) return missingRights(file)
  const { code } = error as NodeJS.ErrnoException
  return code === 'ENOENT'
    ? `The key file ${file} is missing.`
    : `The key file ${file} cannot be read (${code ?? 'no reason given'}).`
}

const readKey = (file: string, open: () => OpenedFile): KeyRead => {
  try {
    return keyIn(file, open())
  } catch (error) {
    return { ok: false, sentence: failureOf(file, error) }
  }
}

/** Reads the file of `service.api_key_file`, which holds the key and nothing else. */
export const readKeyFile = (file: string, read: typeof readWhileTrusted = readWhileTrusted): KeyRead =>
  readKey(file, () => read({ file, trustsSelf: true, holdsKey: true }, () => readWithRights(file, MAX_BYTES)))

/**
 * Like `readKeyFile`, for a file that is already open. On Windows, this function does not check who may change the
 * file, because the user has just chosen it, and files on a USB stick have no owner.
 */
export const readOpenKeyFile = (file: string, handle: number): KeyRead =>
  readKey(file, () => readHandleWithRights(handle, MAX_BYTES))

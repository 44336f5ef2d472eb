import type { KeyVerdict } from '../../../shared/ipc/key-verdict.ts'
import { apiKeySchema } from '../../../shared/settings/settings.ts'
import { ask } from '../../data/ask.ts'
import { issueOf } from '../../data/field-issues.ts'
import { type DebouncedCheck, useDebouncedCheck } from '../../data/use-debounced-check.ts'
import { addressSchema } from './address.ts'

export type KeyCheck =
  | { readonly phase: 'nothing' }
  | { readonly phase: 'malformed'; readonly sentence: string }
  | DebouncedCheck<KeyVerdict>

/** Waits for a pause in typing, so that the page does not send every incomplete key. */
const TYPING_PAUSE_MS = 500

const MIN_KEY_LENGTH = 12

const checkWithoutRequest = (baseUrl: string, key: string): KeyCheck => {
  if (key.trim() === '') return { phase: 'nothing' }
  const issue = issueOf(apiKeySchema, key)
  if (issue !== null) return { phase: 'malformed', sentence: issue }
  if (key.replace(/\s+/g, '').length < MIN_KEY_LENGTH)
    return { phase: 'malformed', sentence: 'Too short for a key.' }
  if (issueOf(addressSchema, baseUrl) !== null)
    return { phase: 'not-checked', sentence: 'Enter a valid address to test the key.' }
  return { phase: 'checking' }
}

/** Tests a key while the user enters it. */
export const useKeyCheck = (baseUrl: string, key: string): KeyCheck => {
  const localCheck = checkWithoutRequest(baseUrl, key)
  const typedText = localCheck.phase === 'checking' ? `${baseUrl}\n${key}` : null
  const check = useDebouncedCheck(typedText, TYPING_PAUSE_MS, () =>
    ask('testKey', { baseUrl: addressSchema.parse(baseUrl), apiKey: key }),
  )
  return typedText === null ? localCheck : check
}

/** Uploads with a test key never reach production (§5.3), so the user has to confirm such a key. */
export const isTestKey = (check: KeyCheck): boolean =>
  check.phase === 'answered' && check.verdict.live === false && mayStore(check)

/** The phase `answered` is not enough: its verdict may be `unreachable`. */
export const isTested = (check: KeyCheck): boolean =>
  check.phase === 'answered' && check.verdict.kind !== 'unreachable'

/** A key may be stored without a test, because the PC may be offline. */
export const mayStore = (check: KeyCheck): boolean =>
  check.phase === 'answered'
    ? check.verdict.kind === 'write' || check.verdict.kind === 'read' || check.verdict.kind === 'unreachable'
    : check.phase === 'not-checked'

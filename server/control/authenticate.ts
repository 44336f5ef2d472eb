import { type Checked, unauthenticated, value } from '../answer.ts'
import type { KeyRow, KeyStore } from '../store/keys.ts'

/** §5.1, §5.4 */
export function authenticate(keys: KeyStore, header: string | undefined): Checked<KeyRow> {
  if (header === undefined)
    return unauthenticated('key_missing', 'Send your key as "Authorization: Bearer <key>".')
  const token = /^Bearer +(\S+)$/i.exec(header)?.[1]
  const key = token === undefined ? undefined : keys.get(token)
  if (key === undefined) return unauthenticated('key_invalid', 'This key is not known.')
  if (key.revoked === 1) return unauthenticated('key_revoked', 'This key was revoked.')
  return value(key)
}

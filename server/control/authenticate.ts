import { hash } from 'node:crypto'
import { type Checked, unauthenticated, value } from '../answer.ts'
import { type KeyRow, keys } from '../store/keys.ts'
import type { Store } from '../store/store.ts'

/** Keys are long and random, so a plain hash is safe: an attacker cannot guess the key from its hash. */
export function hashKey(key: string): string {
  return hash('sha256', key)
}

/** §5.1, §5.4 */
export async function authenticate(store: Store, header: string | undefined): Promise<Checked<KeyRow>> {
  if (header === undefined)
    return unauthenticated('key_missing', 'Send your key as "Authorization: Bearer <key>".')
  const token = /^Bearer +(\S+)$/i.exec(header)?.[1]
  const key = token === undefined ? undefined : await store.read(keys.get(hashKey(token)))
  if (key === undefined) return unauthenticated('key_invalid', 'This key is unknown.')
  if (key.revoked === 1) return unauthenticated('key_revoked', 'This key was revoked.')
  return value(key)
}

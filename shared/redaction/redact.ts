import { redactAddresses } from './redact-addresses.ts'
import { redactValues } from './redact-values.ts'
import { isSecretName } from './secret-names.ts'
import { unescapeOnce } from './unescape.ts'

export type Redact = (text: string) => string

/** A text that was escaped by accident several times has at most this many levels. */
const MAX_LEVELS = 5

/**
 * Removes keys, passwords and signatures of URLs from a text for a log or a report. Known secrets are removed in any
 * format. Every step takes linear time.
 */
export const createRedact = (knownSecrets: readonly string[]): Redact => {
  const secrets = knownSecrets.filter((secret) => secret !== '')
  const redactPlain = (text: string): string =>
    redactValues(
      redactAddresses(secrets.reduce((rest, secret) => rest.replaceAll(secret, '[removed]'), text)),
    )
  return (text) => {
    let result = redactPlain(text)
    let unescaped = result
    for (let level = 0; level < MAX_LEVELS; level += 1) {
      const next = unescapeOnce(unescaped)
      if (next === unescaped) return result
      const clean = redactPlain(next)
      // Keep the original text unless unescaping revealed a secret.
      if (clean !== next) result = clean
      unescaped = clean
    }
    // A piece with even more levels may hide a secret.
    return result.replace(/\S+/g, (piece) => (/%25|\\u005c/i.test(piece) ? '[removed]' : piece))
  }
}

export const redact: Redact = createRedact([])

/**
 * Removes all values of secret fields except booleans and null. Cleans all other texts, including the names of fields.
 */
export const redactJson = (value: unknown, clean: Redact = redact, indent?: number): string => {
  const replace = (name: string, fieldValue: unknown): unknown => {
    if (fieldValue === null || typeof fieldValue === 'boolean' || fieldValue === undefined) return fieldValue
    if (isSecretName(name)) return '[removed]'
    if (typeof fieldValue === 'string') return clean(fieldValue)
    if (typeof fieldValue !== 'object' || Array.isArray(fieldValue)) return fieldValue
    return Object.fromEntries(Object.entries(fieldValue).map(([key, inner]) => [clean(key), inner]))
  }
  return JSON.stringify(value, replace, indent) ?? ''
}

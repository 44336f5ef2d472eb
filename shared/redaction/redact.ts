import { redactAddresses } from './redact-addresses.ts'
import { redactValues } from './redact-values.ts'
import { isSecretName } from './secret-names.ts'
import { unescapeOnce } from './unescape.ts'

export type Redact = (text: string) => string

/** Nobody escapes a text more often than this by accident. */
const mostLevels = 5

/**
 * What must never reach a log or a report: keys, passwords, and the signatures of signed addresses. Known secrets
 * go by their value, whatever they look like. Every step takes time in proportion to the text.
 */
export const createRedact = (known: readonly string[]): Redact => {
  const secrets = known.filter((secret) => secret !== '')
  const plain = (text: string): string =>
    redactValues(
      redactAddresses(secrets.reduce((rest, secret) => rest.replaceAll(secret, '[removed]'), text)),
    )
  return (text) => {
    let shown = plain(text)
    let opened = shown
    for (let level = 0; level < mostLevels; level += 1) {
      const next = unescapeOnce(opened)
      if (next === opened) return shown
      const clean = plain(next)
      // Shown as it came unless something was hidden in it.
      if (clean !== next) shown = clean
      opened = clean
    }
    return shown.replace(/\S+/g, (piece) => (/%25|\\u005c/i.test(piece) ? '[removed]' : piece))
  }
}

export const redact: Redact = createRedact([])

/**
 * By structure first: the value of a name that announces a secret goes before it is text, in whatever form it is
 * written. Then every text that is left, names included.
 */
export const redactJson = (value: unknown, clean: Redact = redact, indent?: number): string => {
  const replace = (name: string, found: unknown): unknown => {
    if (found === null || typeof found === 'boolean' || found === undefined) return found
    if (isSecretName(name)) return '[removed]'
    if (typeof found === 'string') return clean(found)
    if (typeof found !== 'object' || Array.isArray(found)) return found
    return Object.fromEntries(Object.entries(found).map(([key, inner]) => [clean(key), inner]))
  }
  return JSON.stringify(value, replace, indent) ?? ''
}

import { decodeText } from '../../shared/words/decode-text.ts'

/** Matches the values of the fields with these names, in a text that may be damaged or truncated. */
const valuesOf = (names: readonly string[]) =>
  new RegExp(
    `(["']?(?:${names.join('|')})["']?\\s*[:=]\\s*)("(?:[^"\\\\]|\\\\.)*"?|'[^']*'?|[^\\s,}]+)`,
    'gi',
  )

/**
 * Removes secrets from the text of a settings file: by field name, by shape and by known value. Does not parse the text
 * as JSON, because the file may be damaged. Null if the bytes are not text.
 */
export const stripSecrets = (
  bytes: Uint8Array,
  secret: {
    readonly names: readonly string[]
    readonly shape?: RegExp
    readonly known: readonly string[]
  },
): string | null => {
  const decoded = decodeText(bytes)
  if (!decoded.ok || decoded.text.includes('\0')) return null
  const textWithoutFields = decoded.text.replace(valuesOf(secret.names), '$1""')
  const textWithoutShapes =
    secret.shape === undefined ? textWithoutFields : textWithoutFields.replace(secret.shape, '')
  return secret.known.reduce(
    (rest, value) => rest.replaceAll(JSON.stringify(value).slice(1, -1), '').replaceAll(value, ''),
    textWithoutShapes,
  )
}

/** Removes every API key, and all text with the shape of an API key (§5.3). */
export const stripKeys = (bytes: Uint8Array, known: readonly string[]): string | null =>
  stripSecrets(bytes, { names: ['api_key'], shape: /svc_(?:live|test)_[^\s"',}]*/g, known })

import { decodeSettingsText } from '../../../shared/settings/settings-text.ts'

/** What stands behind these names in a text that may be damaged in any way, also where the end is cut off. */
const behind = (names: readonly string[]) =>
  new RegExp(
    `(["']?(?:${names.join('|')})["']?\\s*[:=]\\s*)("(?:[^"\\\\]|\\\\.)*"?|'[^']*'?|[^\\s,}]+)`,
    'gi',
  )

/**
 * The text of a settings file that is not used, without what stands behind these names, what has this shape, and what is
 * known. It may be damaged in any way, so its words are looked at and not its JSON. Null where no word of it can be
 * read: a file with bytes of a broken disk in it cannot be cleaned.
 */
export const withoutSecretsIn = (
  bytes: Uint8Array,
  secret: {
    readonly names: readonly string[]
    readonly shape?: RegExp
    readonly known: readonly string[]
  },
): string | null => {
  const decoded = decodeSettingsText(bytes)
  if (!decoded.ok || decoded.text.includes('\0')) return null
  const named = decoded.text.replace(behind(secret.names), '$1""')
  const shaped = secret.shape === undefined ? named : named.replace(secret.shape, '')
  return secret.known.reduce(
    (rest, value) => rest.replaceAll(JSON.stringify(value).slice(1, -1), '').replaceAll(value, ''),
    shaped,
  )
}

/** Without any key: also what only looks like one (§5.3). */
export const withoutKeys = (bytes: Uint8Array, known: readonly string[]): string | null =>
  withoutSecretsIn(bytes, { names: ['api_key'], shape: /svc_(?:live|test)_[^\s"',}]*/g, known })

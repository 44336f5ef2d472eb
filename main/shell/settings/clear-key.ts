import { decodeSettingsText } from '../../../shared/settings-text.ts'

/**
 * The text of a settings file that is not used, without any key in it. It may be damaged in any way, so its words are
 * looked at and not its JSON: what stands behind `api_key`, also where the end is cut off, and whatever looks like a
 * key (§5.3) or is one that is known. Null where no word of it can be read: a file with bytes of a broken disk in it
 * cannot be cleaned.
 */
export const withoutKeys = (bytes: Uint8Array, known: readonly string[]): string | null => {
  const decoded = decodeSettingsText(bytes)
  if (!decoded.ok || decoded.text.includes('\0')) return null
  const { text } = decoded
  const named = text.replace(/(["']?api_key["']?\s*[:=]\s*)("(?:[^"\\]|\\.)*"?|'[^']*'?|[^\s,}]+)/gi, '$1""')
  const shaped = named.replace(/svc_(?:live|test)_[^\s"',}]*/g, '')
  return known.reduce(
    (rest, key) => rest.replaceAll(JSON.stringify(key).slice(1, -1), '').replaceAll(key, ''),
    shaped,
  )
}

/**
 * Site, device and notes of a folder may name what is only known of each recording: `{hostname}`, `{folder}`, `{stem}`
 * and `{1}`, `{2}`…, the folders between the watched one and the file.
 */
export type PlaceholderValues = {
  readonly hostname: string
  /** The watched folder's own name. */
  readonly folder: string
  /** The file's name without its last extension. */
  readonly stem: string
  /** The folders inside the watched one, from it to the file. */
  readonly segments: readonly string[]
}

export type Filled =
  | { readonly ok: true; readonly text: string }
  /** The end of a sentence about the text. */
  | { readonly ok: false; readonly fault: string }

const known = /\{(hostname|folder|stem|[1-9]\d?)\}/g
const any = /\{([^{}]*)\}/g

export const placeholderWords = '{hostname}, {folder}, {stem}, {1}, {2}…'

/** Null where every placeholder is one that is known. */
export const unknownPlaceholder = (text: string): string | null => {
  for (const [written] of text.matchAll(any)) if (written.replace(known, '') !== '') return written
  return null
}

const hasPlaceholder = (text: string): boolean => text.search(known) !== -1

/** A file's name may hold braces itself: what has been filled in is never taken for a placeholder again. */
const plain = (value: string): string => value.replaceAll('{', '(').replaceAll('}', ')')

/** What is not known is left as it is: a name from before there were placeholders means what it meant. */
export const fillPlaceholders = (text: string, values: PlaceholderValues, mostCharacters: number): Filled => {
  if (!hasPlaceholder(text)) return { ok: true, text }
  const missing: string[] = []
  const filled = text
    .replace(known, (written, name: string) => {
      const value = /^\d/.test(name)
        ? values.segments[Number(name) - 1]
        : values[name as 'hostname' | 'folder' | 'stem']
      if (value === undefined || value.trim() === '') missing.push(written)
      return plain(value ?? '')
    })
    .trim()
  if (missing[0] !== undefined) return { ok: false, fault: `${missing[0]} has no value here` }
  if (filled.length > mostCharacters)
    return {
      ok: false,
      fault: `it would have ${filled.length} characters; at most ${mostCharacters} are allowed`,
    }
  return { ok: true, text: filled }
}

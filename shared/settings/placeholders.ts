/**
 * Site, device and notes of a folder may contain placeholders, which Sluice fills in for each recording: `{hostname}`,
 * `{folder}`, `{stem}`, `{1}`, `{2}`… The numbers stand for the folders between the watched folder and the file.
 */
export type PlaceholderValues = {
  readonly hostname: string
  /** The name of the watched folder. */
  readonly folder: string
  /** The file name without its last extension. */
  readonly stem: string
  /** The folders between the watched folder and the file, outermost first. */
  readonly segments: readonly string[]
}

export type FillResult =
  | { readonly ok: true; readonly text: string }
  /** `fault` follows the name of the field and a colon. */
  | { readonly ok: false; readonly fault: string }

const knownPlaceholder = /\{(hostname|folder|stem|[1-9]\d?)\}/g
const anyPlaceholder = /\{([^{}]*)\}/g

export const placeholderWords = '{hostname}, {folder}, {stem}, {1}, {2}…'

/** Null if every placeholder is known. */
export const unknownPlaceholder = (text: string): string | null => {
  for (const [placeholder] of text.matchAll(anyPlaceholder))
    if (placeholder.replace(knownPlaceholder, '') !== '') return placeholder
  return null
}

const hasPlaceholder = (text: string): boolean => text.search(knownPlaceholder) !== -1

/** Replaces braces in file names, so that a filled-in value is never read as a placeholder. */
const replaceBraces = (value: string): string => value.replaceAll('{', '(').replaceAll('}', ')')

/** Leaves unknown placeholders unchanged, because older settings may contain braces. */
export const fillPlaceholders = (text: string, values: PlaceholderValues, maxLength: number): FillResult => {
  if (!hasPlaceholder(text)) return { ok: true, text }
  const missing: string[] = []
  const filledText = text
    .replace(knownPlaceholder, (placeholder, name: string) => {
      const value = /^\d/.test(name)
        ? values.segments[Number(name) - 1]
        : values[name as 'hostname' | 'folder' | 'stem']
      if (value === undefined || value.trim() === '') missing.push(placeholder)
      return replaceBraces(value ?? '')
    })
    .trim()
  if (missing[0] !== undefined) return { ok: false, fault: `${missing[0]} has no value here` }
  if (filledText.length > maxLength)
    return {
      ok: false,
      fault: `the text would have ${filledText.length} characters; at most ${maxLength} are allowed`,
    }
  return { ok: true, text: filledText }
}

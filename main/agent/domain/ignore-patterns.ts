/** Longer endings are not file types: `take.the whole second half of a name`. */
const MAX_EXTENSION_LENGTH = 12
/** A single digit belongs to the name: the 3 of `hall3`. */
const NUMBERS = /\d{2,}/g

/**
 * Replaces each character that has a meaning in patterns with `?`, which matches any character. Also replaces commas
 * and line breaks, because they separate patterns in the settings form.
 */
const escapeGlob = (text: string): string => text.replace(/[*?[\]{}()!+@|\\",\r\n]/g, '?')

const extensionOf = (name: string): string => {
  const dot = name.lastIndexOf('.')
  const extension = dot > 0 ? name.slice(dot) : ''
  return extension.length > 1 && extension.length <= MAX_EXTENSION_LENGTH ? extension : ''
}

const prefixOf = (name: string): string => /^[^_\-. ]{2,}[_\- ]/.exec(name)?.[0] ?? ''

/**
 * Patterns for `exclude` that match a file and similar files, from narrow to wide. The first matches this name. The
 * next match any text in place of its numbers, the beginning and type of its name, its type alone, and its subfolder.
 * `file` is the path inside the folder, with forward slashes.
 */
export const ignorePatterns = (file: string): readonly string[] => {
  const name = file.slice(file.lastIndexOf('/') + 1)
  const subfolder = file.slice(0, -name.length)
  const extension = extensionOf(name)
  const stem = name.slice(0, name.length - extension.length)
  const prefix = prefixOf(name)
  const patterns = [
    `**/${escapeGlob(name)}`,
    `**/${escapeGlob(stem).replace(NUMBERS, '*')}${escapeGlob(extension)}`,
    ...(prefix === '' ? [] : [`**/${escapeGlob(prefix)}*${escapeGlob(extension)}`]),
    ...(extension === '' ? [] : [`**/*${escapeGlob(extension)}`]),
    ...(subfolder === '' ? [] : [`${escapeGlob(subfolder)}**`]),
  ]
  return [...new Set(patterns)]
}

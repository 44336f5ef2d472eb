/**
 * Case folding as file systems do it. The rules of languages never apply: no file system treats `ß` as `ss`, and a PC
 * with Turkish settings compares names as every other PC does.
 */

const ASCII = /^[\0-\x7f]*$/

/** The small sigma at the end of a word. NTFS folds both small sigmas to Σ, but no other two letters to one capital. */
const FINAL_SIGMA = 'ς'

/**
 * A letter folds only to a capital that maps back to the letter, except the final sigma. So `ı` does not fold to `I`,
 * and `µ` (micro) not to `Μ` (mu).
 */
const capitalOf = (letter: string): string => {
  const capital = letter.toUpperCase()
  if (capital.length !== letter.length) return letter
  return capital.toLowerCase() === letter || letter === FINAL_SIGMA ? capital : letter
}

/** NTFS folds single UTF-16 units by a table of capitals, so letters beyond U+FFFF are case-sensitive. */
export const foldByUnit = (name: string): string =>
  ASCII.test(name) ? name.toUpperCase() : name.split('').map(capitalOf).join('')

const smallOf = (letter: string): string => {
  const small = letter.toUpperCase().toLowerCase()
  return small.length === letter.length ? small : letter
}

/**
 * APFS separates letters from their accents before it folds them, so both Unicode forms of a text are the same name.
 */
export const foldByCharacter = (name: string): string =>
  ASCII.test(name) ? name.toLowerCase() : [...name.normalize('NFD')].map(smallOf).join('')

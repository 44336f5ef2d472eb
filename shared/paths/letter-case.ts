/**
 * How the file systems ignore case. Never by a language's own rules: in none of them is `ß` the same as `ss`, and a
 * Turkish PC has the same files as any other.
 */

const ASCII = /^[\0-\x7f]*$/

/** Small sigma at the end of a word: a second small letter of one capital, and the only one that NTFS folds. */
const FINAL_SIGMA = 'ς'

/** A letter folds only to the capital whose small letter it is: not `ı` to `I`, not `µ` (micro) to `Μ` (my). */
const capitalOf = (letter: string): string => {
  const capital = letter.toUpperCase()
  if (capital.length !== letter.length) return letter
  return capital.toLowerCase() === letter || letter === FINAL_SIGMA ? capital : letter
}

/** NTFS: a table of capitals for single UTF-16 units, so that letters beyond U+FFFF are told apart by case. */
export const foldByUnit = (name: string): string =>
  ASCII.test(name) ? name.toUpperCase() : name.split('').map(capitalOf).join('')

const smallOf = (letter: string): string => {
  const small = letter.toUpperCase().toLowerCase()
  return small.length === letter.length ? small : letter
}

/** APFS: whole characters, taken apart into letter and accents, so that either Unicode form is the same name. */
export const foldByCharacter = (name: string): string =>
  ASCII.test(name) ? name.toLowerCase() : [...name.normalize('NFD')].map(smallOf).join('')

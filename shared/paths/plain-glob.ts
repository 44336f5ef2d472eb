/**
 * Matches patterns with only the wildcards `*`, `?` and `**`, like most patterns in settings. A regular expression may
 * try all ways to divide a long name among the wildcards. That can take minutes, so a pattern from a member of
 * `control.group` could stop the agent. This matcher stays fast: after a mismatch, it changes only what the last `*` or
 * `**` matches.
 */

/** These characters have a special meaning in picomatch. */
const SPECIAL = /[[\]{}()!|\\"]/

const isPlainSegment = (segment: string): boolean =>
  segment === '**' || !(segment === '' || segment === '.' || segment === '..' || segment.includes('**'))

export const isPlainGlob = (glob: string): boolean => {
  const segments = glob.split('/')
  return (
    !SPECIAL.test(glob) &&
    segments.every(isPlainSegment) &&
    segments.every((segment, at) => segment !== '**' || segments[at + 1] !== '**')
  )
}

type Sequence<T> = { readonly length: number; readonly [at: number]: T }

/**
 * Whether the pattern matches the whole sequence. `isStar`: whether a part of the pattern matches any number of items.
 */
const matchesAll = <T>(
  items: Sequence<T>,
  pattern: Sequence<T>,
  isStar: (part: T) => boolean,
  matches: (item: T, part: T) => boolean,
): boolean => {
  let [item, part] = [0, 0]
  let star: { readonly part: number; readonly item: number } | null = null
  while (item < items.length) {
    const [current, wanted] = [items[item] as T, pattern[part]]
    if (wanted !== undefined && isStar(wanted)) {
      star = { part, item }
      part += 1
    } else if (wanted !== undefined && matches(current, wanted)) {
      item += 1
      part += 1
    } else if (star !== null) {
      // Let the last star match one more item. Earlier stars need no change: the last star can match the same items.
      star = { part: star.part, item: star.item + 1 }
      item = star.item
      part = star.part + 1
    } else return false
  }
  while (part < pattern.length && isStar(pattern[part] as T)) part += 1
  return part === pattern.length
}

const matchesSegment = (name: string, glob: string): boolean =>
  matchesAll(
    name,
    glob,
    (part) => part === '*',
    (char, part) => part === '?' || part === char,
  )

/** As in picomatch, `a/**` matches the folder `a` too, unless `a` ends with a star. */
const segmentsOf = (glob: string): readonly string[] => {
  const segments = glob.split('/')
  const isInside = segments.at(-1) === '**' && segments.at(-2)?.endsWith('*') === true
  return isInside ? [...segments.slice(0, -1), '*', '**'] : segments
}

/** With fewer stars, a regular expression is also fast. For common patterns, it is even faster than this matcher. */
const MANY_STARS = 3
/** Only picomatch matches this common pattern correctly. The last star needs at least one character. */
const ANY_EXTENSION = /^\*\*\/\*\.\*(?:\.\w+)?$/

/** Whether a regular expression for this pattern could take long. Always false for `ANY_EXTENSION`. */
export const hasManyStars = (glob: string): boolean =>
  (glob.match(/\*+/g) ?? []).length >= MANY_STARS && !ANY_EXTENSION.test(glob)

/**
 * Returns a function that matches a whole path with forward slashes. `fold` returns the same text for names that differ
 * only in their case.
 */
export const plainMatcher = (glob: string, fold: (text: string) => string): ((name: string) => boolean) => {
  const segments = segmentsOf(fold(glob))
  return (name) =>
    matchesAll(
      fold(name).split('/'),
      segments,
      (part) => part === '**',
      (segment, part) => matchesSegment(segment, part),
    )
}

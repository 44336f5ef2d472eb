/** Merges the sites without duplicates. The sites of the settings come first. */
export const mergeSites = (
  folders: readonly { readonly site: string }[],
  journalSites: readonly string[],
): readonly string[] => [...new Set([...folders.map(({ site }) => site), ...journalSites])]

/** Ignores differences of case, accents, spaces, dots, hyphens and underscores. */
const normalise = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/[\p{M}\s_.-]+/gu, '')
    .toLowerCase()

/** Levenshtein distance. */
const editDistance = (a: string, b: string): number => {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (const [index, letter] of [...a].entries()) {
    const next = [index + 1]
    for (let column = 1; column <= b.length; column += 1)
      next.push(
        Math.min(
          (row[column] ?? 0) + 1,
          (next[column - 1] ?? 0) + 1,
          (row[column - 1] ?? 0) + (b[column - 1] === letter ? 0 : 1),
        ),
      )
    row = next
  }
  return row.at(-1) ?? 0
}

const digitsOf = (name: string): string => name.replace(/\D/g, '')

/**
 * Finds the site that the user probably meant. Sites that differ in their digits are different sites: "Hall 3", "Hall
 * 4".
 */
export const findSimilarSite = (typed: string, known: readonly string[]): string | null => {
  const name = normalise(typed)
  const candidates = known.filter((site) => {
    const normalisedSite = normalise(site)
    const maxTypos = name.length > 8 ? 2 : name.length > 3 ? 1 : 0
    return digitsOf(normalisedSite) === digitsOf(name) && editDistance(name, normalisedSite) <= maxTypos
  })
  return (
    candidates.sort((a, b) => editDistance(name, normalise(a)) - editDistance(name, normalise(b)))[0] ?? null
  )
}

/** Unique sites. Sites of the settings come first. */
export const mergeSites = (
  ofFolders: readonly { readonly site: string }[],
  ofJournal: readonly string[],
): readonly string[] => [...new Set([...ofFolders.map(({ site }) => site), ...ofJournal])]

/** Ignores case, spaces, hyphens and accents. */
const normalised = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/[\p{M}\s_.-]+/gu, '')
    .toLowerCase()

/** Levenshtein distance. */
const distance = (a: string, b: string): number => {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const [at, letter] of [...a].entries()) {
    const next = [at + 1]
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

const digits = (name: string): string => name.replace(/\D/g, '')

/** The known site that was probably meant. Names with different digits are always different sites: Hall 3, Hall 4. */
export const similarSite = (typed: string, known: readonly string[]): string | null => {
  const name = normalised(typed)
  const near = known.filter((site) => {
    const other = normalised(site)
    const slips = name.length > 8 ? 2 : name.length > 3 ? 1 : 0
    return digits(other) === digits(name) && distance(name, other) <= slips
  })
  return near.sort((a, b) => distance(name, normalised(a)) - distance(name, normalised(b)))[0] ?? null
}

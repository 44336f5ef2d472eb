/** Longer than all names of commands and options, so longer input is not a misspelled name. */
const MAX_CHARS = 40

/** Damerau-Levenshtein: letters added, removed or changed, and neighbours swapped. */
const editDistance = (a: string, b: string): number => {
  let rowBeforeLast: number[] = []
  let lastRow = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1]
      const changeCost = (lastRow[j - 1] ?? 0) + (same ? 0 : 1)
      const swapCost =
        i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
          ? (rowBeforeLast[j - 2] ?? 0) + 1
          : changeCost
      row.push(Math.min(changeCost, swapCost, (lastRow[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1))
    }
    rowBeforeLast = lastRow
    lastRow = row
  }
  return lastRow[b.length] ?? 0
}

/** The name that the user probably meant; null if none is close. */
export const findNearest = (input: string, names: readonly string[]): string | null => {
  if (input.length === 0 || input.length > MAX_CHARS) return null
  const lower = input.toLowerCase()
  const withPrefix = names.filter((name) => lower.length > 1 && name.startsWith(lower))
  if (withPrefix.length === 1) return withPrefix[0] ?? null
  const [best] = names
    .map((name) => ({ name, distance: editDistance(lower, name) }))
    .toSorted((a, b) => a.distance - b.distance)
  return best !== undefined && best.distance <= Math.max(1, Math.floor(best.name.length / 3))
    ? best.name
    : null
}

/** " Did you mean status?", or nothing if no name is close. */
export const didYouMean = (
  input: string,
  names: readonly string[],
  show: (name: string) => string = (name) => name,
): string => {
  const name = findNearest(input, names)
  return name === null ? '' : ` Did you mean ${show(name)}?`
}

export const inQuotes = (name: string): string => `“${name}”`

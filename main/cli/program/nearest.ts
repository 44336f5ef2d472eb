/** Longer than every name of a command or an option: what was typed there is no slip of the finger. */
const MOST_CHARS = 40

/** Letters added, left out, changed, or two of them swapped. */
const distance = (a: string, b: string): number => {
  let before: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1]
      const changed = (last[j - 1] ?? 0) + (same ? 0 : 1)
      const swapped =
        i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? (before[j - 2] ?? 0) + 1 : changed
      row.push(Math.min(changed, swapped, (last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1))
    }
    before = last
    last = row
  }
  return last[b.length] ?? 0
}

/** What was probably meant; null where nothing is near enough to say so. */
export const nearest = (typed: string, known: readonly string[]): string | null => {
  if (typed.length === 0 || typed.length > MOST_CHARS) return null
  const lower = typed.toLowerCase()
  const begins = known.filter((name) => lower.length > 1 && name.startsWith(lower))
  if (begins.length === 1) return begins[0] ?? null
  const [best] = known
    .map((name) => ({ name, away: distance(lower, name) }))
    .toSorted((a, b) => a.away - b.away)
  return best !== undefined && best.away <= Math.max(1, Math.floor(best.name.length / 3)) ? best.name : null
}

export type NewestFirstRow<T> = { readonly key: string } & (
  | { readonly kind: 'day'; readonly day: string }
  | { readonly kind: 'entry'; readonly entry: T; readonly number: number }
)

/**
 * The entries with a heading wherever the day changes. A day may come again: log lines without a time are in between, and
 * a clock may be set back. Lines may be identical too. So a key that comes again gets a number.
 */
export const addDayRows = <T>(
  entries: readonly T[],
  idOf: (entry: T) => string,
  dayOf: (entry: T) => string,
): readonly NewestFirstRow<T>[] => {
  const rows: NewestFirstRow<T>[] = []
  const uses = new Map<string, number>()
  const uniqueKey = (key: string): string => {
    const count = uses.get(key) ?? 0
    uses.set(key, count + 1)
    return count === 0 ? key : `${key} #${count}`
  }
  let day: string | null = null
  entries.forEach((entry, index) => {
    const entryDay = dayOf(entry)
    if (entryDay !== day) rows.push({ kind: 'day', day: entryDay, key: uniqueKey(`day ${entryDay}`) })
    day = entryDay
    rows.push({ kind: 'entry', entry, number: index + 1, key: uniqueKey(idOf(entry)) })
  })
  return rows
}

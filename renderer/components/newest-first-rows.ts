export type NewestFirstRow<T> = { readonly key: string } & (
  | { readonly kind: 'day'; readonly day: string }
  | { readonly kind: 'entry'; readonly entry: T; readonly number: number }
)

/**
 * Adds a heading wherever the day changes. The same day may come back: after a change of the clock, or after log
 * lines that have no time. Entries may be identical. So a repeated key gets a number.
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

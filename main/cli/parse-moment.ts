const DAY = /^(\d{4})-(\d{2})-(\d{2})$/
const MOMENT = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})?$/

const dayMs = (text: string, plusDays: number): number | null => {
  const [, year, month, day] = (DAY.exec(text) ?? []).map(Number)
  if (year === undefined || month === undefined || day === undefined || year < 1970) return null
  const date = new Date(year, month - 1, day)
  // Refuse 31 February: `Date` would turn it into a day in March.
  if (date.getMonth() !== month - 1 || date.getDate() !== day) return null
  return new Date(year, month - 1, day + plusDays).getTime()
}

/** "7d", "12h" */
const AGO = /^(\d{1,4})(h|d)$/
const unitMs = { h: 3_600_000, d: 86_400_000 } as const

/**
 * Parses a day ("2026-03-01"), a time ("2026-03-01T18:00") or an age ("7d" for seven days ago). A day or a time without
 * a zone is in local time. For a day, returns its start with `since`, and its end with `until`. Returns null for any
 * other text.
 */
export const parseMomentMs = (
  text: string,
  edge: 'since' | 'until',
  nowMs: number = Date.now(),
): number | null => {
  const [, count, unit] = AGO.exec(text) ?? []
  if (count !== undefined) return nowMs - Number(count) * unitMs[unit === 'h' ? 'h' : 'd']
  if (DAY.test(text)) return dayMs(text, edge === 'since' ? 0 : 1)
  const [, day] = MOMENT.exec(text) ?? []
  if (day === undefined || dayMs(day, 0) === null) return null
  const ms = Date.parse(text)
  return Number.isNaN(ms) ? null : ms
}

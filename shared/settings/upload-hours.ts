import type { UploadWindow } from './settings.ts'

const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const
const DAY_MINUTES = 24 * 60
const WEEK_MINUTES = 7 * DAY_MINUTES

const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3))

/** One entry of the upload hours as minutes of the week. Hours that cross the end of the week become two spans. */
const spansOf = ({ days, from, to }: UploadWindow): (readonly [number, number])[] => {
  const [start, end] = [minutesOf(from), minutesOf(to)]
  const length = start === end ? DAY_MINUTES : end > start ? end - start : DAY_MINUTES - start + end
  // Equal `from` and `to` mean the whole day, from midnight on.
  const first = start === end ? 0 : start
  return [...new Set(days)].flatMap((day) => {
    const begin = DAYS.indexOf(day) * DAY_MINUTES + first
    const overflow = begin + length - WEEK_MINUTES
    return overflow > 0
      ? [[begin, WEEK_MINUTES] as const, [0, overflow] as const]
      : [[begin, begin + length] as const]
  })
}

/**
 * Finds entries of the upload hours that overlap an earlier entry. Callers report them, because only one speed limit
 * can apply at a time.
 */
export const overlappingHours = (
  windows: readonly UploadWindow[],
): readonly { readonly index: number; readonly earlier: UploadWindow }[] => {
  const spans = windows.map(spansOf)
  const overlap = (one: number, other: number) =>
    (spans[one] ?? []).some(([from, to]) =>
      (spans[other] ?? []).some((span) => span[0] < to && from < span[1]),
    )
  return windows.flatMap((_, index) => {
    const earlier = windows.find((_window, candidate) => candidate < index && overlap(candidate, index))
    return earlier === undefined ? [] : [{ index, earlier }]
  })
}

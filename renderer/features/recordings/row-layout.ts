import { nightWord } from '../../../shared/status/nights.ts'
import type { RecordingOutline } from '../../../shared/status/status.ts'
import { formatCount } from '../../../shared/words/format.ts'
import { standingWords } from '../../../shared/words/words.ts'

export type Group =
  | { readonly kind: 'pinned' }
  /** `pinned` counts the night's recordings that are pinned on top of the list. */
  | { readonly kind: 'night'; readonly day: string; readonly pinned: number }
  | { readonly kind: 'others' }

/** A heading and its rows. `firstRow` counts only recordings. */
type Stretch = { readonly group: Group; readonly firstRow: number; readonly count: number }

export type Item =
  | { readonly kind: 'heading'; readonly group: Group; readonly count: number }
  | { readonly kind: 'row'; readonly row: number }

/** The list with headings between the rows. `row` counts only recordings; `index` also counts headings. */
export type RowLayout = {
  readonly itemCount: number
  readonly itemAt: (index: number) => Item
  /** Must be fast: the list calls this function a hundred thousand times to measure itself. */
  readonly isHeading: (index: number) => boolean
  readonly indexOf: (row: number) => number
  /** Changes if a heading moves. */
  readonly key: string
}

const groupsOf = ({ pinned, nights }: RecordingOutline): readonly Omit<Stretch, 'firstRow'>[] => [
  ...(pinned > 0 ? [{ group: { kind: 'pinned' }, count: pinned } as const] : []),
  ...nights.map(({ day, count, pinned: pinnedCount }) => ({
    group: { kind: 'night', day, pinned: pinnedCount } as const,
    count,
  })),
]

/**
 * The outline loads less often than the rows, so its counts may not add up to `total`. Rows beyond the outline join the
 * last stretch. The outline has nights only if the list is sorted by `foundAt`. Without nights, all rows after the
 * pinned rows are one stretch. With neither nights nor pinned rows, the list has no headings.
 */
const stretchesOf = (outline: RecordingOutline | null, total: number): readonly Stretch[] => {
  if (outline === null) return []
  const stretches: Stretch[] = []
  let firstRow = 0
  for (const { group, count } of groupsOf(outline)) {
    if (firstRow >= total) break
    stretches.push({ group, firstRow, count })
    firstRow += count
  }
  const isSortedDifferently = outline.pinned > 0 && outline.nights.length === 0
  if (isSortedDifferently && firstRow < total)
    stretches.push({ group: { kind: 'others' }, firstRow, count: total - firstRow })
  return stretches
}

export const layoutOf = (outline: RecordingOutline | null, total: number): RowLayout => {
  const stretches = stretchesOf(outline, total)
  /** Counts the stretches at the start that match, by binary search. */
  const countWhile = (matches: (stretch: Stretch, index: number) => boolean): number => {
    let low = 0
    let high = stretches.length
    while (low < high) {
      const middle = (low + high) >> 1
      const stretch = stretches[middle]
      if (stretch !== undefined && matches(stretch, middle)) low = middle + 1
      else high = middle
    }
    return low
  }
  const headings = new Set(stretches.map(({ firstRow }, headingsBefore) => firstRow + headingsBefore))
  return {
    itemCount: total + stretches.length,
    isHeading: (index) => headings.has(index),
    itemAt: (index) => {
      const headingsAbove = countWhile(({ firstRow }, headingsBefore) => firstRow + headingsBefore <= index)
      const last = stretches[headingsAbove - 1]
      if (last !== undefined && headings.has(index))
        return { kind: 'heading', group: last.group, count: last.count }
      return { kind: 'row', row: index - headingsAbove }
    },
    indexOf: (row) => row + countWhile(({ firstRow }) => firstRow <= row),
    key: stretches.map(({ firstRow }) => firstRow).join(' '),
  }
}

/** "40", or "40 more" if other recordings of the same night are pinned on top. */
export const groupCount = (group: Group, count: number): string =>
  `${formatCount(count)}${group.kind === 'night' && group.pinned > 0 ? ' more' : ''}`

export const groupName = (group: Group, nowMs: number): string => {
  switch (group.kind) {
    case 'pinned':
      return standingWords['needs-attention'].word
    case 'night':
      return nightWord(group.day, nowMs)
    case 'others':
      return 'All others'
  }
}

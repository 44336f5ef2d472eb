import fc from 'fast-check'
import { expect, test } from 'vitest'
import { groupName, layoutOf } from '../../../../../renderer/features/recordings/row-layout.ts'
import { standings } from '../../../../../shared/status/standing.ts'
import type { RecordingOutline } from '../../../../../shared/status/status.ts'

const noStandings = Object.fromEntries(standings.map((one) => [one, 0])) as RecordingOutline['standings']
const night = (count: number, day: number) => ({
  day: `2026-03-${String(day + 1).padStart(2, '0')}`,
  count,
  pinned: 0,
})

test('every row appears once, in order and below the heading that counts it', () => {
  fc.assert(
    fc.property(
      fc.nat(5),
      fc.array(fc.integer({ min: 1, max: 6 }), { maxLength: 6 }),
      // The number of rows added since the outline was made. If it is negative, rows were removed.
      fc.integer({ min: -3, max: 3 }),
      (pinned, counts, addedRows) => {
        const nights = counts.map(night)
        const total = Math.max(0, pinned + counts.reduce((sum, count) => sum + count, 0) + addedRows)
        const layout = layoutOf({ standings: noStandings, pinned, nights }, total)
        const items = Array.from({ length: layout.itemCount }, (_, index) => layout.itemAt(index))
        const rows = items.flatMap((item) => (item.kind === 'row' ? [item.row] : []))
        expect(rows).toEqual([...Array(total).keys()])
        items.forEach((item, index) => {
          expect(layout.isHeading(index)).toBe(item.kind === 'heading')
          if (item.kind === 'row') expect(layout.indexOf(item.row)).toBe(index)
        })
        items.forEach((item, index) => {
          if (item.kind === 'heading') expect(items[index + 1]?.kind).toBe('row')
        })
        if (addedRows !== 0) return
        const headingCounts = items.flatMap((item, index) => {
          if (item.kind !== 'heading') return []
          const nextHeading = items.findIndex((other, at) => at > index && other.kind === 'heading')
          return [[item.count, (nextHeading < 0 ? items.length : nextHeading) - index - 1]]
        })
        for (const [countShown, rowsBelow] of headingCounts) expect(rowsBelow).toBe(countShown)
      },
    ),
  )
})

test('without nights, recordings that need attention have a heading of their own', () => {
  const layout = layoutOf({ standings: noStandings, pinned: 2, nights: [] }, 5)
  const groups = Array.from({ length: layout.itemCount }, (_, index) => layout.itemAt(index)).flatMap(
    (item) => (item.kind === 'heading' ? [`${groupName(item.group, 0)} ${item.count}`] : []),
  )
  expect(groups).toEqual(['Needs attention 2', 'All others 3'])
  expect(layoutOf({ standings: noStandings, pinned: 0, nights: [] }, 5).itemCount).toBe(5)
  expect(layoutOf(null, 5).itemCount).toBe(5)
})

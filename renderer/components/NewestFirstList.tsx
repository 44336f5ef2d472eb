// biome-ignore-all lint/a11y: a list element cannot hold a hundred thousand entries; a scroll area must be focusable.
import { useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useEffect, useRef } from 'react'
import { addDayRows } from './newest-first-rows.ts'

/** Loads more entries when fewer rows than this are below the visible rows. */
const LOAD_AHEAD_ROWS = 20

type Props<T> = {
  readonly label: string
  readonly entries: readonly T[]
  readonly idOf: (entry: T) => string
  readonly dayOf: (entry: T) => string
  readonly rowHeight: number
  readonly foot: ReactNode
  readonly onNearEnd: () => void
  readonly children: (entry: T) => ReactNode
}

/** A list with the newest entry first, grouped by day. Renders only visible rows. */
export function NewestFirstList<T>(props: Props<T>) {
  const { label, entries, idOf, dayOf, rowHeight, foot, onNearEnd, children } = props
  const scroller = useRef<HTMLDivElement>(null)
  const rows = addDayRows(entries, idOf, dayOf)
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 6,
    getItemKey: (index) => rows[index]?.key ?? index,
  })
  const items = virtual.getVirtualItems()
  const lastIndex = items.at(-1)?.index ?? 0
  const isNearEnd = lastIndex >= rows.length - LOAD_AHEAD_ROWS

  useEffect(() => {
    if (isNearEnd && lastIndex >= 0) onNearEnd()
  }, [isNearEnd, lastIndex, onNearEnd])

  return (
    <div ref={scroller} className="list-frame newest-first" tabIndex={0} role="region" aria-label={label}>
      <div role="list" className="newest-first-body" style={{ height: virtual.getTotalSize() }}>
        {items.map((item) => {
          const row = rows[item.index]
          if (row === undefined) return null
          return (
            <div
              key={item.key}
              ref={virtual.measureElement}
              data-index={item.index}
              role="listitem"
              className="newest-first-row"
              style={{ transform: `translateY(${item.start}px)` }}
              {...(row.kind === 'entry' ? { 'aria-posinset': row.number, 'aria-setsize': -1 } : {})}
            >
              {row.kind === 'day' ? <h2 className="newest-first-day">{row.day}</h2> : children(row.entry)}
            </div>
          )
        })}
      </div>
      <p className="newest-first-foot quiet small">{foot}</p>
    </div>
  )
}

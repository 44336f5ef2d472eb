// biome-ignore-all lint/a11y: a virtual ARIA grid; a table element cannot hold a hundred thousand rows, and the grid itself holds the focus.
import { useVirtualizer } from '@tanstack/react-virtual'
import { type MouseEvent, type Ref, useEffect, useImperativeHandle, useRef } from 'react'
import { plural } from '../../../shared/format.ts'
import { useNow } from '../../data/use-now.ts'
import type { Filters } from './filters.ts'
import { GridHead, HEAD_HEIGHT } from './GridHead.tsx'
import { GridRow, ROW_HEIGHT, rowName } from './GridRow.tsx'
import type { RecordingPages } from './use-recording-pages.ts'
import type { useSelection } from './use-selection.ts'

export type GridHandle = {
  readonly focus: () => void
  readonly reveal: (index: number) => void
  readonly rowsInSight: () => number
}

type Props = {
  readonly ref: Ref<GridHandle>
  readonly pages: RecordingPages
  readonly selection: ReturnType<typeof useSelection>
  readonly filters: Filters
  readonly onSort: (filters: Filters) => void
  readonly onRange: (first: number, last: number) => void
  readonly onOpen: (id: number) => void
  readonly openId: number | null
}

/** Only the rows in sight exist; the keyboard's row is named to screen readers by the grid, which keeps the focus. */
export function RecordingGrid(props: Props) {
  const { ref, pages, selection, filters, onSort, onRange, onOpen, openId } = props
  const scroller = useRef<HTMLDivElement>(null)
  const now = useNow()
  const total = pages.total ?? 0
  const virtual = useVirtualizer({
    count: total,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 4,
    // The rows begin below the head, which stays in sight; without this the last row of a move would be half hidden.
    scrollPaddingEnd: HEAD_HEIGHT,
  })
  const items = virtual.getVirtualItems()
  const first = items[0]?.index ?? 0
  const last = items.at(-1)?.index ?? 0

  useEffect(() => onRange(first, last), [onRange, first, last])
  useImperativeHandle(ref, () => ({
    focus: () => scroller.current?.focus(),
    reveal: (index) => virtual.scrollToIndex(index),
    rowsInSight: () => Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / ROW_HEIGHT) - 1),
  }))

  /** One listener for all rows; a press on the box only marks, one elsewhere also opens. */
  const onClick = (event: MouseEvent) => {
    const target = event.target as Element
    const index = Number(target.closest<HTMLElement>('[data-index]')?.dataset.index)
    if (Number.isNaN(index)) return
    if (target.closest('.cell-check') !== null) return selection.toggle(index)
    selection.press(index, event)
    const row = pages.rowAt(index)
    const plain = !event.shiftKey && !event.ctrlKey && !event.metaKey
    if (plain && row !== undefined) onOpen(row.id)
  }

  const activeInSight = selection.active >= first && selection.active <= last && total > 0
  return (
    <div className={pages.stale ? 'list-frame grid-stale' : 'list-frame'}>
      <div
        ref={scroller}
        role="grid"
        className="grid"
        aria-label={plural(total, 'recording')}
        aria-multiselectable="true"
        aria-rowcount={total + 1}
        aria-activedescendant={activeInSight ? rowName(selection.active) : undefined}
        tabIndex={0}
        onKeyDown={selection.onKeyDown}
      >
        <GridHead filters={filters} onSort={onSort} />
        <div
          role="rowgroup"
          className="grid-body"
          style={{ height: virtual.getTotalSize() }}
          onClick={onClick}
        >
          {items.map((item) => {
            const row = pages.rowAt(item.index)
            return (
              <GridRow
                key={item.key}
                index={item.index}
                top={item.start}
                row={row}
                selected={row !== undefined && selection.ids.has(row.id)}
                active={item.index === selection.active}
                open={row !== undefined && row.id === openId}
                now={now}
              />
            )
          })}
        </div>
      </div>
    </div>
  )
}

// biome-ignore-all lint/a11y: a virtual ARIA grid; a table element cannot hold a hundred thousand rows, and the grid itself holds the focus.
import { useVirtualizer } from '@tanstack/react-virtual'
import { type Ref, useEffect, useImperativeHandle, useRef } from 'react'
import { plural } from '../../../shared/format.ts'
import { Icon } from '../../components/Icon.tsx'
import { useNow } from '../../data/use-now.ts'
import type { Filters } from './filters.ts'
import { GridHead } from './GridHead.tsx'
import { RowCells } from './RecordingCells.tsx'
import type { RecordingPages } from './use-recording-pages.ts'
import type { useSelection } from './use-selection.ts'

const ROW_HEIGHT = 52

export type GridHandle = { readonly focus: () => void; readonly reveal: (index: number) => void }

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

const rowName = (index: number) => `recording-row-${index}`

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
    overscan: 6,
  })
  const items = virtual.getVirtualItems()
  const first = items[0]?.index ?? 0
  const last = items.at(-1)?.index ?? 0

  useEffect(() => onRange(first, last), [onRange, first, last])
  useImperativeHandle(ref, () => ({
    focus: () => scroller.current?.focus(),
    reveal: (index) => virtual.scrollToIndex(index),
  }))

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
        <div role="rowgroup" className="grid-body" style={{ height: virtual.getTotalSize() }}>
          {items.map((item) => {
            const row = pages.rowAt(item.index)
            const selected = row !== undefined && selection.ids.has(row.id)
            const looks = [
              'grid-row',
              selected ? 'row-selected' : '',
              item.index === selection.active ? 'row-active' : '',
              row !== undefined && row.id === openId ? 'row-open' : '',
            ].join(' ')
            return (
              <div
                key={item.key}
                id={rowName(item.index)}
                role="row"
                aria-rowindex={item.index + 2}
                aria-selected={selected}
                className={looks}
                style={{ transform: `translateY(${item.start}px)`, height: ROW_HEIGHT }}
                onClick={(event) => {
                  selection.press(item.index, event)
                  const plain = !event.shiftKey && !event.ctrlKey && !event.metaKey
                  if (plain && row !== undefined) onOpen(row.id)
                }}
              >
                <span
                  role="gridcell"
                  className="cell-check"
                  onClick={(event) => {
                    event.stopPropagation()
                    selection.toggle(item.index)
                  }}
                >
                  <span className={selected ? 'check-box check-box-on' : 'check-box'}>
                    {selected && <Icon name="check" size={12} />}
                  </span>
                  <span className="visually-hidden">{selected ? 'Selected' : 'Not selected'}</span>
                </span>
                {row === undefined ? (
                  <span role="gridcell" className="cell-loading">
                    <span className="visually-hidden">Loading</span>
                  </span>
                ) : (
                  <RowCells row={row} now={now} />
                )}
              </div>
            )
          })}
        </div>
      </div>
    </div>
  )
}

// biome-ignore-all lint/a11y: a table element cannot hold a hundred thousand rows, and this ARIA grid holds the focus.
import { useVirtualizer } from '@tanstack/react-virtual'
import {
  type KeyboardEvent,
  type MouseEvent,
  type Ref,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
} from 'react'
import type { RecordingRow } from '../../../shared/status/status.ts'
import { plural } from '../../../shared/words/format.ts'
import { useNow } from '../../data/use-now.ts'
import type { Filters } from './filters.ts'
import { GridHead, HEAD_HEIGHT } from './GridHead.tsx'
import { GridHeading, HEADING_HEIGHT } from './GridHeading.tsx'
import { GridRow, ROW_HEIGHT, rowElementId } from './GridRow.tsx'
import type { MenuPlace } from './RowMenu.tsx'
import { groupCount, groupName, layoutOf } from './row-layout.ts'
import type { RecordingPages } from './use-recording-pages.ts'
import type { useSelection } from './use-selection.ts'

export type GridHandle = {
  readonly focus: () => void
  readonly reveal: (index: number) => void
  readonly countVisibleRows: () => number
}

type Props = {
  readonly ref: Ref<GridHandle>
  readonly pages: RecordingPages
  readonly selection: ReturnType<typeof useSelection>
  readonly filters: Filters
  readonly onSort: (filters: Filters) => void
  readonly onRange: (first: number, last: number) => void
  readonly onOpen: (row: RecordingRow) => void
  readonly onMenu: (place: MenuPlace) => void
  readonly openId: number | null
}

const MENU_INSET_PX = 56

/** Renders only visible rows. The focus stays on the grid, which names the active row to screen readers. */
export function RecordingGrid(props: Props) {
  const { ref, pages, selection, filters, onSort, onRange, onOpen, onMenu, openId } = props
  const scroller = useRef<HTMLDivElement>(null)
  const now = useNow()
  const total = pages.total ?? 0
  const { outline } = pages
  const layout = useMemo(() => layoutOf(outline, total), [outline, total])
  const virtual = useVirtualizer({
    count: layout.itemCount,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => (layout.isHeading(index) ? HEADING_HEIGHT : ROW_HEIGHT),
    overscan: 4,
    // The sticky head covers part of the visible height. Without this padding, a row scrolled to the bottom would be
    // half hidden.
    scrollPaddingEnd: HEAD_HEIGHT,
  })
  // Headings and rows differ in height, so a moved heading changes the position of everything below it.
  const measuredKey = useRef(layout.key)
  useLayoutEffect(() => {
    if (measuredKey.current === layout.key) return
    measuredKey.current = layout.key
    virtual.measure()
  }, [layout.key, virtual])
  const items = virtual.getVirtualItems().map((item) => ({ ...item, content: layout.itemAt(item.index) }))
  const rows = items.flatMap(({ content }) => (content.kind === 'row' ? [content.row] : []))
  const first = rows[0] ?? 0
  const last = rows.at(-1) ?? 0

  useEffect(() => onRange(first, last), [onRange, first, last])
  useImperativeHandle(ref, () => ({
    focus: () => scroller.current?.focus(),
    reveal: (row) => {
      // For the first row, show its heading too.
      if (row === 0) virtual.scrollToOffset(0)
      else virtual.scrollToIndex(layout.indexOf(row))
    },
    countVisibleRows: () => Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / ROW_HEIGHT) - 1),
  }))

  const rowIndexUnder = (target: EventTarget): number | null => {
    const index = Number((target as Element).closest<HTMLElement>('[data-index]')?.dataset.index)
    return Number.isNaN(index) ? null : index
  }

  /**
   * One listener for all rows. A click on the checkbox only selects or deselects the row. A plain click elsewhere
   * selects only this row and opens it. With a modifier key, it changes the selection (see `useSelection`).
   */
  const onClick = (event: MouseEvent) => {
    const index = rowIndexUnder(event.target)
    if (index === null) return
    if ((event.target as Element).closest('.cell-check') !== null) return selection.toggle(index)
    selection.press(index, event)
    const row = pages.rowAt(index)
    const hasNoModifier = !event.shiftKey && !event.ctrlKey && !event.metaKey
    if (hasNoModifier && row !== undefined) onOpen(row)
  }

  /** Opens the menu at the pointer. The menu key has no pointer, so it opens the menu at the active row. */
  const onContextMenu = (event: MouseEvent) => {
    event.preventDefault()
    const pointedIndex = rowIndexUnder(event.target)
    const index = pointedIndex ?? selection.active
    const row = pages.rowAt(index)
    if (row === undefined) return
    if (!selection.isSelected(row.id))
      selection.press(index, { shiftKey: false, ctrlKey: false, metaKey: false })
    if (pointedIndex !== null) return onMenu({ x: event.clientX, y: event.clientY, row })
    openAtRow(index)
  }
  const openAtRow = (index: number) => {
    const row = pages.rowAt(index)
    // The menu starts near the state column, so that it does not cover the start of the name. The inset makes it fit
    // into the window at 200% zoom.
    const box = document
      .getElementById(rowElementId(index))
      ?.querySelector('.cell-state')
      ?.getBoundingClientRect()
    if (row !== undefined && box !== undefined) onMenu({ x: box.left - MENU_INSET_PX, y: box.bottom, row })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey)) {
      event.preventDefault()
      const row = pages.rowAt(selection.active)
      if (row !== undefined && !selection.isSelected(row.id))
        selection.press(selection.active, { shiftKey: false, ctrlKey: false, metaKey: false })
      openAtRow(selection.active)
    } else if (event.target === event.currentTarget) selection.onKeyDown(event)
  }

  const isActiveVisible = selection.active >= first && selection.active <= last && total > 0
  return (
    <div className={pages.isStale ? 'list-frame grid-stale' : 'list-frame'}>
      <div
        ref={scroller}
        role="grid"
        className="grid"
        aria-label={plural(total, 'recording')}
        aria-multiselectable="true"
        aria-rowcount={layout.itemCount + 1}
        aria-activedescendant={isActiveVisible ? rowElementId(selection.active) : undefined}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onContextMenu={onContextMenu}
      >
        <GridHead
          filters={filters}
          onSort={onSort}
          selectionExtent={selection.extent}
          onSelectAll={selection.selectVisiblePage}
          onSelectNone={selection.clear}
        />
        <div
          role="rowgroup"
          className="grid-body"
          style={{ height: virtual.getTotalSize() }}
          onClick={onClick}
        >
          {items.map(({ key, index, start, content }) => {
            if (content.kind === 'heading')
              return (
                <GridHeading
                  key={key}
                  index={index}
                  top={start}
                  name={groupName(content.group, now)}
                  count={groupCount(content.group, content.count)}
                  needsAttention={content.group.kind === 'pinned'}
                />
              )
            const row = pages.rowAt(content.row)
            return (
              <GridRow
                key={key}
                index={content.row}
                itemIndex={index}
                top={start}
                row={row}
                isSelected={row !== undefined && selection.isSelected(row.id)}
                isActive={content.row === selection.active}
                isOpen={row !== undefined && row.id === openId}
                now={now}
              />
            )
          })}
        </div>
      </div>
    </div>
  )
}

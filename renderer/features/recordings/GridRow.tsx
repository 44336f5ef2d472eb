// biome-ignore-all lint/a11y: a virtual ARIA grid; a table element cannot hold a hundred thousand rows, and the grid itself holds the focus.
import { memo } from 'react'
import type { RecordingRow } from '../../../shared/status/status.ts'
import { Icon } from '../../components/Icon.tsx'
import { RowCells } from './RecordingCells.tsx'

export const ROW_HEIGHT = 52
export const rowName = (index: number) => `recording-row-${index}`

type Props = {
  /** Index among the recordings. */
  readonly index: number
  /** Index among all rows, including headings. */
  readonly place: number
  readonly top: number
  readonly row: RecordingRow | undefined
  readonly selected: boolean
  readonly active: boolean
  readonly open: boolean
  readonly now: number
}

/** Memoised: scrolling moves many rows and changes none. */
export const GridRow = memo(function GridRow({ index, place, top, row, selected, active, open, now }: Props) {
  const looks = [
    'grid-row',
    selected ? 'row-selected' : '',
    active ? 'row-active' : '',
    open ? 'row-open' : '',
  ].join(' ')
  return (
    <div
      id={rowName(index)}
      data-index={index}
      role="row"
      aria-rowindex={place + 2}
      aria-selected={selected}
      aria-current={open ? 'true' : undefined}
      className={looks}
      style={{ transform: `translateY(${top}px)`, height: ROW_HEIGHT }}
    >
      <span role="gridcell" className="cell-check">
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
      {open && (
        <span className="row-open-mark" aria-hidden="true">
          <Icon name="right" size={14} />
        </span>
      )}
    </div>
  )
})

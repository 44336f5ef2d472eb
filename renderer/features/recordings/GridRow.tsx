// biome-ignore-all lint/a11y: a table element cannot hold a hundred thousand rows, and this ARIA grid holds the focus.
import { memo } from 'react'
import type { RecordingRow } from '../../../shared/status/status.ts'
import { Icon } from '../../components/Icon.tsx'
import { RowCells } from './RecordingCells.tsx'

export const ROW_HEIGHT = 52
export const rowElementId = (index: number) => `recording-row-${index}`

type Props = {
  /** Index among the recordings. */
  readonly index: number
  /** Index among all rows, including headings. */
  readonly itemIndex: number
  readonly top: number
  readonly row: RecordingRow | undefined
  readonly isSelected: boolean
  readonly isActive: boolean
  readonly isOpen: boolean
  readonly now: number
}

/** Memoised, because scrolling moves many rows but does not change them. */
export const GridRow = memo(function GridRow({
  index,
  itemIndex,
  top,
  row,
  isSelected,
  isActive,
  isOpen,
  now,
}: Props) {
  const className = [
    'grid-row',
    isSelected ? 'row-selected' : '',
    isActive ? 'row-active' : '',
    isOpen ? 'row-open' : '',
  ].join(' ')
  return (
    <div
      id={rowElementId(index)}
      data-index={index}
      role="row"
      aria-rowindex={itemIndex + 2}
      aria-selected={isSelected}
      aria-current={isOpen ? 'true' : undefined}
      className={className}
      style={{ transform: `translateY(${top}px)`, height: ROW_HEIGHT }}
    >
      <span role="gridcell" className="cell-check">
        <span className={isSelected ? 'check-box check-box-on' : 'check-box'}>
          {isSelected && <Icon name="check" size={12} />}
        </span>
        <span className="visually-hidden">{isSelected ? 'Selected' : 'Not selected'}</span>
      </span>
      {row === undefined ? (
        <span role="gridcell" className="cell-loading">
          <span className="visually-hidden">Loading</span>
        </span>
      ) : (
        <RowCells row={row} now={now} />
      )}
      {isOpen && (
        <span className="row-open-mark" aria-hidden="true">
          <Icon name="right" size={14} />
        </span>
      )}
    </div>
  )
})

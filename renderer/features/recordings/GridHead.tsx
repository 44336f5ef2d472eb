// biome-ignore-all lint/a11y: a table element cannot hold a hundred thousand rows, and this ARIA grid holds the focus.
import { Button, Checkbox } from 'react-aria-components'
import { Icon } from '../../components/Icon.tsx'
import type { Filters, SortColumn } from './filters.ts'

export const HEAD_HEIGHT = 34

type Column = { readonly sort: SortColumn; readonly word: string; readonly className: string }

const columns: readonly Column[] = [
  { sort: 'name', word: 'Name', className: 'cell-name' },
  { sort: 'state', word: 'State', className: 'cell-state' },
  { sort: 'changed', word: 'Progress', className: 'cell-progress' },
  { sort: 'bytes', word: 'Size', className: 'cell-size number' },
  { sort: 'found', word: 'Found', className: 'cell-found number' },
]

const sortDirection = (filters: Filters, column: SortColumn) => {
  if (filters.sort !== column) return 'none'
  return filters.descending ? 'descending' : 'ascending'
}

/** The first click sorts names and states ascending, sizes and times descending. */
const startsDescending = (column: SortColumn) => column !== 'name' && column !== 'state'

type Props = {
  readonly filters: Filters
  readonly onSort: (filters: Filters) => void
  readonly selectionExtent: 'none' | 'some' | 'all'
  readonly onSelectAll: () => void
  readonly onSelectNone: () => void
}

export function GridHead({ filters, onSort, selectionExtent, onSelectAll, onSelectNone }: Props) {
  const sortBy = (column: SortColumn) =>
    onSort({
      ...filters,
      sort: column,
      descending: filters.sort === column ? !filters.descending : startsDescending(column),
    })

  return (
    <div role="rowgroup" className="grid-head">
      <div role="row" aria-rowindex={1} className="grid-row grid-head-row" style={{ height: HEAD_HEIGHT }}>
        <span role="columnheader" className="cell-check">
          <Checkbox
            className="head-check"
            aria-label="Select all on this page"
            isSelected={selectionExtent === 'all'}
            isIndeterminate={selectionExtent === 'some'}
            onChange={() => (selectionExtent === 'all' ? onSelectNone() : onSelectAll())}
          >
            <span className={selectionExtent === 'none' ? 'check-box' : 'check-box check-box-on'}>
              {selectionExtent === 'all' && <Icon name="check" size={12} />}
              {selectionExtent === 'some' && <Icon name="minus" size={12} />}
            </span>
          </Checkbox>
        </span>
        {columns.map(({ sort, word, className }) => (
          <span key={word} role="columnheader" className={className} aria-sort={sortDirection(filters, sort)}>
            <Button className="sort-button" onPress={() => sortBy(sort)}>
              {word}
              {filters.sort === sort && (
                <Icon name={filters.descending ? 'sort-down' : 'sort-up'} size={12} />
              )}
            </Button>
          </span>
        ))}
      </div>
    </div>
  )
}

import { useCallback, useDeferredValue, useMemo, useRef, useState } from 'react'
import { Button } from '../../components/Button.tsx'
import { LoadingRows, Placeholder } from '../../components/Placeholder.tsx'
import { Screen } from '../../components/Screen.tsx'
import { useAgent } from '../../data/AgentView.tsx'
import { useNow } from '../../data/use-now.ts'
import { useRefreshTick } from '../../data/use-refresh-tick.ts'
import type { Place } from '../../navigation.ts'
import { FilterBar } from './FilterBar.tsx'
import { type Filters, isFiltered, noFilters, queryOf } from './filters.ts'
import { type GridHandle, RecordingGrid } from './RecordingGrid.tsx'
import { RecordingPane } from './RecordingPane.tsx'
import './recordings.css'
import { SelectionBar } from './SelectionBar.tsx'
import { pagesBetween, useRecordingPages } from './use-recording-pages.ts'
import { useSelection } from './use-selection.ts'

const REFRESH_MS = 1_000

const startingFilters = (place: Place): Filters => ({
  ...noFilters,
  problem: place.problem ?? null,
  standing: place.standing ?? 'all',
  date: place.night === true ? 'night' : place.nightOf === undefined ? 'any' : 'one-night',
  from: place.nightOf ?? '',
})

type Props = { readonly place: Place; readonly goTo: (place: Place) => void }

export function Recordings({ place, goTo }: Props) {
  const { status } = useAgent()
  const [filters, setFilters] = useState<Filters>(() => startingFilters(place))
  const [inSight, setInSight] = useState({ first: 0, last: 0 })
  const [openId, setOpenId] = useState<number | null>(place.recordingId ?? null)
  const grid = useRef<GridHandle>(null)
  const search = useRef<HTMLInputElement>(null)
  const tick = useRefreshTick(REFRESH_MS)
  const settled = useDeferredValue(filters)
  // "Today" holds until midnight: a query that changed by the millisecond would never be answered.
  const today = new Date(useNow()).toDateString()
  const nightSince = status?.report.since ?? null
  const query = useMemo(() => queryOf(settled, new Date(today), nightSince), [settled, today, nightSince])
  const pages = useRecordingPages(query, inSight, tick)
  const selection = useSelection({
    query,
    pages,
    rowsInSight: () => grid.current?.rowsInSight() ?? 1,
    reveal: (index) => grid.current?.reveal(index),
    open: setOpenId,
  })
  // Only on another page: drawing the whole screen with every frame is what makes scrolling stutter.
  const onRange = useCallback((firstRow: number, lastRow: number) => {
    const next = pagesBetween(firstRow, lastRow)
    setInSight((before) => (before.first === next.first && before.last === next.last ? before : next))
  }, [])
  const change = (next: Filters) => {
    setFilters(next)
    selection.clear()
    grid.current?.reveal(0)
  }
  const clear = () => {
    change({ ...noFilters, sort: filters.sort, descending: filters.descending })
    search.current?.focus()
  }
  const deselect = () => {
    selection.clear()
    grid.current?.focus()
  }
  const closePane = () => {
    setOpenId(null)
    grid.current?.focus()
  }

  const list = () => {
    if (pages.total === null && pages.error !== null)
      return <Placeholder icon="offline" title="The list is not available right now" text={pages.error} />
    if (pages.total === null) return <LoadingRows rows={8} label="Recordings are loading" />
    if (pages.total === 0 && isFiltered(settled))
      return (
        <Placeholder
          icon="search"
          title="No recording matches"
          text="Nothing in the journal fits these filters."
          action={<Button onPress={clear}>Clear filters</Button>}
        />
      )
    if (pages.total === 0)
      return (
        <Placeholder
          icon="record"
          title="No recordings yet"
          text="Sluice lists every new file of the watched folders here, a few seconds after it appears."
          action={<Button onPress={() => goTo({ screen: 'folders' })}>Show the watched folders</Button>}
        />
      )
    return (
      <RecordingGrid
        ref={grid}
        pages={pages}
        selection={selection}
        filters={filters}
        onSort={change}
        onRange={onRange}
        onOpen={setOpenId}
        openId={openId}
      />
    )
  }

  return (
    <Screen
      title="Recordings"
      fill
      actions={
        <SelectionBar
          ids={selection.ids}
          total={pages.total}
          choosing={selection.choosing}
          onClear={deselect}
        />
      }
    >
      <FilterBar
        search={search}
        filters={filters}
        onChange={change}
        onClear={clear}
        folders={status?.folders ?? []}
      />
      <div className="with-pane">
        <div className="recording-list">{list()}</div>
        {openId !== null && <RecordingPane key={openId} id={openId} goTo={goTo} onClose={closePane} />}
      </div>
    </Screen>
  )
}

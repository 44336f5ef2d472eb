import { useCallback, useDeferredValue, useEffect, useEffectEvent, useMemo, useRef, useState } from 'react'
import type { RecordingRow } from '../../../shared/status/status.ts'
import { Button } from '../../components/Button.tsx'
import { IgnoreDialog } from '../../components/IgnoreDialog.tsx'
import { LoadingRows, Placeholder } from '../../components/Placeholder.tsx'
import { Screen } from '../../components/Screen.tsx'
import { useAgent } from '../../data/AgentView.tsx'
import { ask } from '../../data/ask.ts'
import { usePreventUnload, useRestoredValue, useSavedState } from '../../data/SavedView.tsx'
import { useNow } from '../../data/use-now.ts'
import { useRefreshTick } from '../../data/use-refresh-tick.ts'
import type { Place } from '../../navigation.ts'
import { FilterBar } from './FilterBar.tsx'
import { type Filters, isFiltered, noFilters, queryOf } from './filters.ts'
import { type GridHandle, RecordingGrid } from './RecordingGrid.tsx'
import { RecordingPane } from './RecordingPane.tsx'
import './recordings.css'
import './recording-grid.css'
import './recording-pane.css'
import { type MenuPlace, RowMenu } from './RowMenu.tsx'
import { SelectAllLine, SelectionBar } from './SelectionBar.tsx'
import { TakePane } from './TakePane.tsx'
import { useActions } from './use-actions.ts'
import { pagesBetween, rowsOf, useRecordingPages } from './use-recording-pages.ts'
import { useSelection } from './use-selection.ts'

const REFRESH_MS = 1_000

const initialFilters = (place: Place): Filters => ({
  ...noFilters,
  problem: place.problem ?? null,
  queuedFrom: place.queuedFrom ?? null,
  standing: place.standing ?? 'all',
  date: place.night === true ? 'night' : place.nightOf === undefined ? 'any' : 'one-night',
  from: place.nightOf ?? '',
})

type Props = { readonly place: Place; readonly goTo: (place: Place) => void }

export function Recordings({ place, goTo }: Props) {
  const { status } = useAgent()
  const [filters, setFilters] = useSavedState<Filters>('recordings.filters', () => initialFilters(place))
  const [visiblePages, setVisiblePages] = useState({ first: 0, last: 0 })
  const [openId, setOpenId] = useSavedState<number | null>('recordings.open', () => place.recordingId ?? null)
  /** True if the pane shows the whole take of the open recording, and not only the recording. */
  const [isTakeOpen, setTakeOpen] = useSavedState('recordings.take', () => false)
  const [menu, setMenu] = useState<MenuPlace | null>(null)
  const [ignoreDialogId, setIgnoreDialogId] = useState<number | null>(null)
  const actions = useActions()
  const openRow = ({ id, wholeTake }: RecordingRow) => {
    setOpenId(id)
    setTakeOpen(wholeTake !== null)
  }
  const grid = useRef<GridHandle>(null)
  const search = useRef<HTMLInputElement>(null)
  const tick = useRefreshTick(REFRESH_MS)
  const deferredFilters = useDeferredValue(filters)
  // The query contains only the day, because each change of the query discards the loaded pages.
  const today = new Date(useNow()).toDateString()
  const nightSince = status?.report.since ?? null
  const query = useMemo(
    () => queryOf(deferredFilters, new Date(today), nightSince),
    [deferredFilters, today, nightSince],
  )
  const pages = useRecordingPages(query, visiblePages, tick)
  const selection = useSelection({
    query,
    pages,
    tick,
    visiblePageRows: () => rowsOf(visiblePages, pages.total ?? 0),
    countVisibleRows: () => grid.current?.countVisibleRows() ?? 1,
    reveal: (index) => grid.current?.reveal(index),
    open: (row) => openRow(row),
  })
  // Unloading the page would lose the selection. One row is quickly selected again, but several rows are work.
  usePreventUnload(selection.count > 1)
  // Update the state only if the pages change. Rendering the whole screen in every frame would make scrolling stutter.
  const onRange = useCallback((firstRow: number, lastRow: number) => {
    const next = pagesBetween(firstRow, lastRow)
    setVisiblePages((before) => (before.first === next.first && before.last === next.last ? before : next))
  }, [])
  // Makes the open recording the active row. Also scrolls to it, unless a restored view already has its scroll
  // position.
  const restoredId = useRef(useRestoredValue<number>('recordings.open'))
  const revealOpen = useEffectEvent(async (id: number) => {
    const isRestored = restoredId.current === id
    restoredId.current = null
    const index = await ask('locateRecording', { ...query, id }).catch(() => null)
    if (index === null) return
    if (!isRestored) grid.current?.reveal(index)
    selection.setActive(index)
  })
  const hasRows = pages.total !== null && pages.total > 0
  useEffect(() => {
    if (openId !== null && hasRows) void revealOpen(openId)
  }, [openId, hasRows])

  const changeFilters = (next: Filters) => {
    setFilters(next)
    selection.clear()
    grid.current?.reveal(0)
  }
  const clearFilters = () => {
    changeFilters({ ...noFilters, sort: filters.sort, descending: filters.descending })
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

  const closeMenu = () => {
    setMenu(null)
    // Returns the focus to the list, unless the action has taken the focus.
    requestAnimationFrame(() => {
      if (document.activeElement === document.body) grid.current?.focus()
    })
  }

  const renderList = () => {
    if (pages.total === null && pages.error !== null)
      return <Placeholder icon="offline" title="The list is unavailable" text={pages.error} />
    if (pages.total === null) return <LoadingRows rows={8} label="Loading" />
    if (pages.total === 0 && isFiltered(deferredFilters))
      return (
        <Placeholder
          icon="search"
          title="No recording matches"
          text="Change or clear the filters."
          action={<Button onPress={clearFilters}>Clear filters</Button>}
        />
      )
    if (pages.total === 0)
      return (
        <Placeholder
          icon="record"
          title="No recordings yet"
          text="New files in the watched folders show up here within seconds."
          action={<Button onPress={() => goTo({ screen: 'folders' })}>Show folders</Button>}
        />
      )
    return (
      <RecordingGrid
        ref={grid}
        pages={pages}
        selection={selection}
        filters={filters}
        onSort={changeFilters}
        onRange={onRange}
        onOpen={openRow}
        onMenu={setMenu}
        openId={openId}
      />
    )
  }

  return (
    <Screen
      title="Recordings"
      fillsWindow
      actions={<SelectionBar selection={selection} actions={actions} pages={pages} onClear={deselect} />}
    >
      <FilterBar
        search={search}
        filters={filters}
        onChange={changeFilters}
        onClear={clearFilters}
        folders={status?.folders ?? []}
        counts={pages.outline === null ? (status?.standings ?? null) : pages.outline.standings}
      />
      <SelectAllLine selection={selection} pages={pages} />
      <div className="with-pane">
        <div className="recording-list">{renderList()}</div>
        {openId !== null && isTakeOpen && (
          <TakePane
            key={openId}
            id={openId}
            actions={actions}
            onOpenFile={(id) => {
              setOpenId(id)
              setTakeOpen(false)
            }}
            onClose={closePane}
          />
        )}
        {openId !== null && !isTakeOpen && (
          <RecordingPane
            key={openId}
            id={openId}
            actions={actions}
            goTo={goTo}
            onOpenTake={() => setTakeOpen(true)}
            onClose={closePane}
          />
        )}
      </div>
      {menu !== null && (
        <RowMenu
          place={menu}
          target={selection.target}
          count={selection.count}
          offeredActions={selection.offeredActions}
          actions={actions}
          onOpen={openRow}
          onIgnore={setIgnoreDialogId}
          onClose={closeMenu}
        />
      )}
      {ignoreDialogId !== null && (
        <IgnoreDialog
          id={ignoreDialogId}
          onClose={() => {
            setIgnoreDialogId(null)
            grid.current?.focus()
          }}
        />
      )}
    </Screen>
  )
}

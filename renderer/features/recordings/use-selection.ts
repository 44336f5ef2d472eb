import { type KeyboardEvent, useRef, useState } from 'react'
import { actionApplies } from '../../../shared/status/recording-actions.ts'
import { type RecordingAction, type RecordingRow, recordingActions } from '../../../shared/status/status.ts'
import { useNotices } from '../../data/Notices.tsx'
import { filterOf, type ListQuery } from './filters.ts'
import type { ActionTarget } from './use-actions.ts'
import { idsBetween, type RecordingPages } from './use-recording-pages.ts'
import { useSelectedRows } from './use-selected-rows.ts'

type Options = {
  readonly query: ListQuery
  readonly pages: RecordingPages
  /** Changes when the rows are loaded again. */
  readonly tick: number
  /** The first and last row of the visible pages. */
  readonly visiblePageRows: () => { readonly first: number; readonly last: number }
  readonly countVisibleRows: () => number
  readonly reveal: (index: number) => void
  readonly open: (row: RecordingRow) => void
}

/** A take can be dismissed only in its pane, which shows the files that have a problem. */
const isOnlyInPane = (action: RecordingAction, { wholeTake }: RecordingRow): boolean =>
  action === 'dismiss' && wholeTake !== null

export type Modifiers = { readonly shiftKey: boolean; readonly ctrlKey: boolean; readonly metaKey: boolean }

type Position = { readonly active: number; readonly total: number; readonly visibleRowCount: number }

const indexAfterKey = (key: string, { active, total, visibleRowCount }: Position): number | null => {
  switch (key) {
    case 'ArrowDown':
      return active + 1
    case 'ArrowUp':
      return active - 1
    case 'PageDown':
      return active + visibleRowCount
    case 'PageUp':
      return active - visibleRowCount
    case 'Home':
      return 0
    case 'End':
      return total - 1
    default:
      return null
  }
}

/** Single rows, or everything that matches the filters. */
type Selection =
  | { readonly kind: 'ids'; readonly ids: ReadonlySet<number>; readonly isWholePage: boolean }
  | { readonly kind: 'matching' }

const emptySelection: Selection = { kind: 'ids', ids: new Set(), isWholePage: false }

/** The selection and the active row, with the keyboard shortcuts of a file manager. */
export const useSelection = ({
  query,
  pages,
  tick,
  visiblePageRows,
  countVisibleRows,
  reveal,
  open,
}: Options) => {
  const [selection, setSelection] = useState<Selection>(emptySelection)
  const [active, setActive] = useState(0)
  const [isSelecting, setIsSelecting] = useState(false)
  const anchor = useRef(0)
  /** Counts selections. A range that loads slowly must not overwrite a later selection. */
  const version = useRef(0)
  const total = pages.total ?? 0
  const { showError } = useNotices()
  const ids = selection.kind === 'ids' ? selection.ids : emptySelection.ids

  const select = (next: Selection) => {
    version.current += 1
    setIsSelecting(false)
    setSelection(next)
  }

  const selectRange = async (from: number, to: number, isWholePage = false) => {
    version.current += 1
    const ownVersion = version.current
    setIsSelecting(true)
    try {
      const rangeIds = await idsBetween(query, Math.min(from, to), Math.max(from, to))
      if (version.current === ownVersion) select({ kind: 'ids', ids: new Set(rangeIds), isWholePage })
    } catch (error) {
      if (version.current !== ownVersion) return
      setIsSelecting(false)
      showError(error)
    }
  }

  const toggle = (index: number) => {
    const row = pages.rowAt(index)
    if (row === undefined) return
    const next = new Set(ids)
    if (!next.delete(row.id)) next.add(row.id)
    anchor.current = index
    setActive(index)
    select({ kind: 'ids', ids: next, isWholePage: false })
  }

  const selectOnly = (index: number) => {
    const row = pages.rowAt(index)
    anchor.current = index
    setActive(index)
    select({ kind: 'ids', ids: new Set(row === undefined ? [] : [row.id]), isWholePage: false })
  }

  const press = (index: number, modifiers: Modifiers) => {
    if (modifiers.shiftKey) {
      setActive(index)
      void selectRange(anchor.current, index)
    } else if (modifiers.ctrlKey || modifiers.metaKey) toggle(index)
    else selectOnly(index)
  }

  const move = (to: number, modifiers: Modifiers) => {
    const index = Math.min(Math.max(0, to), total - 1)
    reveal(index)
    if ((modifiers.ctrlKey || modifiers.metaKey) && !modifiers.shiftKey) setActive(index)
    else press(index, { ...modifiers, ctrlKey: false, metaKey: false })
  }

  const isWholePage = selection.kind === 'ids' && selection.isWholePage
  const selectAllMatching = () => select({ kind: 'matching' })
  const selectVisiblePage = () => {
    const { first, last } = visiblePageRows()
    void selectRange(first, last, true)
  }

  const onKeyDown = (event: KeyboardEvent) => {
    if (total === 0) return
    const nextIndex = indexAfterKey(event.key, { active, total, visibleRowCount: countVisibleRows() })
    if (nextIndex !== null) move(nextIndex, event)
    else if (event.key === ' ') toggle(active)
    else if (event.key === 'a' && (event.ctrlKey || event.metaKey)) {
      // The first press selects the visible page, the second one all matches.
      if (isWholePage && ids.size < total) selectAllMatching()
      else selectVisiblePage()
    } else if (event.key === 'Enter') {
      const row = pages.rowAt(active)
      if (row !== undefined) open(row)
    } else return
    event.preventDefault()
  }

  const clear = () => select(emptySelection)
  const count = selection.kind === 'matching' ? total : ids.size
  const target: ActionTarget =
    selection.kind === 'matching'
      ? { matching: filterOf(query), takes: query.takes }
      : { ids: [...selection.ids], takes: query.takes }
  const selectedRows = useSelectedRows(ids, pages, tick)
  const rows = selection.kind === 'matching' ? null : selectedRows
  /** If too many rows are not loaded, offers every action: the agent skips recordings that do not allow it. */
  const offeredActions = recordingActions.filter(
    (action) => rows === null || rows.some((row) => actionApplies(action, row) && !isOnlyInPane(action, row)),
  )
  const onlyRow = ids.size === 1 ? (rows?.[0] ?? null) : null
  const extent: 'none' | 'some' | 'all' =
    count === 0 ? 'none' : count >= total || isWholePage ? 'all' : 'some'
  return {
    count,
    target,
    onlyRow,
    offeredActions,
    extent,
    isMatching: selection.kind === 'matching',
    isWholePage,
    isSelected: (id: number) => selection.kind === 'matching' || ids.has(id),
    active,
    setActive,
    isSelecting,
    press,
    toggle,
    clear,
    selectVisiblePage,
    selectAllMatching,
    onKeyDown,
  }
}

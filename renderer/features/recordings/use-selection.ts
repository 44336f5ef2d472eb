import { type KeyboardEvent, useRef, useState } from 'react'
import { actionApplies, recordingActions } from '../../../shared/status/recording-actions.ts'
import { useNotices } from '../../data/Notices.tsx'
import { filterOf, type ListQuery } from './filters.ts'
import type { Chosen } from './use-actions.ts'
import { useChosenRows } from './use-chosen-rows.ts'
import { idsBetween, type RecordingPages } from './use-recording-pages.ts'

type Options = {
  readonly query: ListQuery
  readonly pages: RecordingPages
  /** Changes when the rows are loaded again. */
  readonly tick: number
  /** The first and last row of the visible pages. */
  readonly pageInSight: () => { readonly first: number; readonly last: number }
  readonly rowsInSight: () => number
  readonly reveal: (index: number) => void
  readonly open: (id: number) => void
}

export type Modifiers = { readonly shiftKey: boolean; readonly ctrlKey: boolean; readonly metaKey: boolean }

type Position = { readonly active: number; readonly total: number; readonly rowsInSight: number }

const targetOf = (key: string, { active, total, rowsInSight }: Position): number | null => {
  switch (key) {
    case 'ArrowDown':
      return active + 1
    case 'ArrowUp':
      return active - 1
    case 'PageDown':
      return active + rowsInSight
    case 'PageUp':
      return active - rowsInSight
    case 'Home':
      return 0
    case 'End':
      return total - 1
    default:
      return null
  }
}

/** Single rows, or everything that matches the filters. */
type Choice =
  | { readonly kind: 'ids'; readonly ids: ReadonlySet<number>; readonly wholePage: boolean }
  | { readonly kind: 'matching' }

const nothing: Choice = { kind: 'ids', ids: new Set(), wholePage: false }

/** Selection and active row, with the keys of a file manager. */
export const useSelection = ({ query, pages, tick, pageInSight, rowsInSight, reveal, open }: Options) => {
  const [choice, setChoice] = useState<Choice>(nothing)
  const [active, setActive] = useState(0)
  const [choosing, setChoosing] = useState(false)
  const anchor = useRef(0)
  /** A slow range must not overwrite a later selection. */
  const turn = useRef(0)
  const total = pages.total ?? 0
  const { failed } = useNotices()
  const ids = choice.kind === 'ids' ? choice.ids : nothing.ids

  const choose = (next: Choice) => {
    turn.current += 1
    setChoosing(false)
    setChoice(next)
  }

  const chooseRange = async (from: number, to: number, wholePage = false) => {
    turn.current += 1
    const mine = turn.current
    setChoosing(true)
    try {
      const found = await idsBetween(query, Math.min(from, to), Math.max(from, to))
      if (turn.current === mine) choose({ kind: 'ids', ids: new Set(found), wholePage })
    } catch (error) {
      if (turn.current !== mine) return
      setChoosing(false)
      failed(error)
    }
  }

  const toggle = (index: number) => {
    const row = pages.rowAt(index)
    if (row === undefined) return
    const next = new Set(ids)
    if (!next.delete(row.id)) next.add(row.id)
    anchor.current = index
    setActive(index)
    choose({ kind: 'ids', ids: next, wholePage: false })
  }

  const chooseOnly = (index: number) => {
    const row = pages.rowAt(index)
    anchor.current = index
    setActive(index)
    choose({ kind: 'ids', ids: new Set(row === undefined ? [] : [row.id]), wholePage: false })
  }

  const press = (index: number, modifiers: Modifiers) => {
    if (modifiers.shiftKey) {
      setActive(index)
      void chooseRange(anchor.current, index)
    } else if (modifiers.ctrlKey || modifiers.metaKey) toggle(index)
    else chooseOnly(index)
  }

  const move = (to: number, modifiers: Modifiers) => {
    const index = Math.min(Math.max(0, to), total - 1)
    reveal(index)
    if (modifiers.ctrlKey && !modifiers.shiftKey) setActive(index)
    else press(index, { ...modifiers, ctrlKey: false, metaKey: false })
  }

  const isWholePage = choice.kind === 'ids' && choice.wholePage
  const chooseMatching = () => choose({ kind: 'matching' })
  const chooseInSight = () => {
    const { first, last } = pageInSight()
    void chooseRange(first, last, true)
  }

  const onKeyDown = (event: KeyboardEvent) => {
    if (total === 0) return
    const target = targetOf(event.key, { active, total, rowsInSight: rowsInSight() })
    if (target !== null) move(target, event)
    else if (event.key === ' ') toggle(active)
    else if (event.key === 'a' && (event.ctrlKey || event.metaKey)) {
      // The second press selects all matches.
      if (isWholePage && ids.size < total) chooseMatching()
      else chooseInSight()
    } else if (event.key === 'Enter') {
      const row = pages.rowAt(active)
      if (row !== undefined) open(row.id)
    } else return
    event.preventDefault()
  }

  const clear = () => choose(nothing)
  const count = choice.kind === 'matching' ? total : ids.size
  const chosen: Chosen = choice.kind === 'matching' ? { matching: filterOf(query) } : { ids: [...choice.ids] }
  const chosenRows = useChosenRows(ids, pages, tick)
  const rows = choice.kind === 'matching' ? null : chosenRows
  /** If the rows are not loaded, every action is offered. The agent skips rows that do not allow it. */
  const offered = recordingActions.filter(
    (action) => rows === null || rows.some((row) => actionApplies(action, row)),
  )
  const only = ids.size === 1 ? (rows?.[0] ?? null) : null
  const extent: 'none' | 'some' | 'all' =
    count === 0 ? 'none' : count >= total || isWholePage ? 'all' : 'some'
  return {
    count,
    chosen,
    only,
    offered,
    extent,
    isMatching: choice.kind === 'matching',
    isWholePage,
    isChosen: (id: number) => choice.kind === 'matching' || ids.has(id),
    active,
    setActive,
    choosing,
    press,
    toggle,
    clear,
    chooseInSight,
    chooseMatching,
    onKeyDown,
  }
}

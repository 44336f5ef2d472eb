import { type KeyboardEvent, useRef, useState } from 'react'
import { useNotices } from '../../data/Notices.tsx'
import type { ListQuery } from './filters.ts'
import { idsBetween, type RecordingPages } from './use-recording-pages.ts'

type Options = {
  readonly query: ListQuery
  readonly pages: RecordingPages
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

/** Which rows are chosen and which one the keyboard is on, with the habits of a file manager. */
export const useSelection = ({ query, pages, rowsInSight, reveal, open }: Options) => {
  const [ids, setIds] = useState<ReadonlySet<number>>(new Set())
  const [active, setActive] = useState(0)
  const [choosing, setChoosing] = useState(false)
  const anchor = useRef(0)
  /** A slow range must not overwrite what was chosen after it. */
  const turn = useRef(0)
  const total = pages.total ?? 0
  const { failed } = useNotices()

  const choose = (next: ReadonlySet<number>) => {
    turn.current += 1
    setChoosing(false)
    setIds(next)
  }

  const chooseRange = async (from: number, to: number) => {
    turn.current += 1
    const mine = turn.current
    setChoosing(true)
    try {
      const found = await idsBetween(query, Math.min(from, to), Math.max(from, to))
      if (turn.current === mine) choose(new Set(found))
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
    choose(next)
  }

  const chooseOnly = (index: number) => {
    const row = pages.rowAt(index)
    anchor.current = index
    setActive(index)
    choose(new Set(row === undefined ? [] : [row.id]))
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

  const onKeyDown = (event: KeyboardEvent) => {
    if (total === 0) return
    const target = targetOf(event.key, { active, total, rowsInSight: rowsInSight() })
    if (target !== null) move(target, event)
    else if (event.key === ' ') toggle(active)
    else if (event.key === 'a' && (event.ctrlKey || event.metaKey)) void chooseRange(0, total - 1)
    else if (event.key === 'Enter') {
      const row = pages.rowAt(active)
      if (row !== undefined) open(row.id)
    } else return
    event.preventDefault()
  }

  const clear = () => choose(new Set())
  return { ids, active, choosing, press, toggle, clear, onKeyDown }
}

import { useEffect, useRef, useState } from 'react'
import type { RecordingRow } from '../../../shared/status.ts'
import { ask, sentenceOf } from '../../data/ask.ts'
import type { ListQuery } from './filters.ts'

const PAGE_ROWS = 100
/** Pages kept on either side of what is seen; a hundred thousand rows are never held at once. */
const PAGES_KEPT = 8

type Held = {
  readonly key: string
  readonly total: number
  readonly pages: ReadonlyMap<number, { readonly rows: readonly RecordingRow[]; readonly tick: number }>
}

export type RecordingPages = {
  readonly total: number | null
  readonly error: string | null
  /** True while what is shown still answers the query before. */
  readonly stale: boolean
  readonly rowAt: (index: number) => RecordingRow | undefined
}

type PageRange = { readonly first: number; readonly last: number }

/** Pages from row to row: what scrolling changes seldom, where the rows in sight change with every frame. */
export const pagesBetween = (firstRow: number, lastRow: number): PageRange => ({
  first: Math.floor(firstRow / PAGE_ROWS),
  last: Math.floor(Math.max(firstRow, lastRow) / PAGE_ROWS),
})

const keepNear = (pages: Held['pages'], centre: number): Held['pages'] =>
  new Map([...pages].filter(([page]) => Math.abs(page - centre) <= PAGES_KEPT))

/** The rows in sight, asked for page by page and asked again at every tick. The journal does the rest. */
export const useRecordingPages = (query: ListQuery, visible: PageRange, tick: number): RecordingPages => {
  const key = JSON.stringify(query)
  const [held, setHeld] = useState<Held | null>(null)
  const [error, setError] = useState<string | null>(null)
  const asked = useRef(new Set<string>())
  const currentKey = useRef(key)
  currentKey.current = key

  const current = held?.key === key ? held : null
  const firstPage = current === null ? 0 : visible.first
  const lastPage = current === null ? 0 : visible.last

  useEffect(() => {
    const load = async (page: number) => {
      const mark = `${key} ${page} ${tick}`
      if (asked.current.has(mark)) return
      asked.current.add(mark)
      try {
        const answer = await ask('listRecordings', {
          ...(JSON.parse(key) as ListQuery),
          offset: page * PAGE_ROWS,
          limit: PAGE_ROWS,
        })
        if (currentKey.current !== key) return
        setHeld((before) => {
          const pages = new Map(before?.key === key ? keepNear(before.pages, page) : [])
          const older = pages.get(page)
          // A slow answer must not put older rows over newer ones.
          if (older === undefined || older.tick <= tick) pages.set(page, { rows: answer.rows, tick })
          return { key, total: answer.total, pages }
        })
        setError(null)
      } catch (reason) {
        if (currentKey.current === key) setError(sentenceOf(reason))
      } finally {
        asked.current.delete(mark)
      }
    }
    for (let page = firstPage; page <= lastPage; page += 1) void load(page)
  }, [key, firstPage, lastPage, tick])

  return {
    total: held?.total ?? null,
    error,
    stale: held !== null && held.key !== key,
    rowAt: (index) => held?.pages.get(Math.floor(index / PAGE_ROWS))?.rows[index % PAGE_ROWS],
  }
}

const IDS_AT_ONCE = 500
/** The most that one act takes; the call table refuses more. */
const MOST_IDS = 100_000

/** The ids of a stretch of the list, also of rows that were never in sight. */
export const idsBetween = async (query: ListQuery, first: number, last: number): Promise<number[]> => {
  const ids: number[] = []
  const end = Math.min(last, first + MOST_IDS - 1)
  for (let offset = first; offset <= end; offset += IDS_AT_ONCE) {
    const limit = Math.min(IDS_AT_ONCE, end - offset + 1)
    const { rows } = await ask('listRecordings', { ...query, offset, limit })
    ids.push(...rows.map((row) => row.id))
    if (rows.length < limit) break
  }
  return ids
}

import { useEffect, useRef, useState } from 'react'
import type { RecordingOutline, RecordingRow } from '../../../shared/status/status.ts'
import { ask } from '../../data/ask.ts'
import { sentenceOf } from '../../data/shown-error.ts'
import type { ListQuery } from './filters.ts'

const PAGE_ROWS = 100
/**
 * How many pages stay loaded before and after the most recently loaded page. A list can have 100,000 rows, too many to
 * keep.
 */
const CACHED_PAGES = 8
/**
 * The wait before the next outline of the same query, as a multiple of the last outline's loading time. An outline is
 * expensive: the agent counts all matching recordings.
 */
const OUTLINE_WAIT_FACTOR = 20

type LoadedPages = {
  readonly key: string
  readonly total: number
  readonly hasMore: boolean
  readonly outline: RecordingOutline | null
  readonly pages: ReadonlyMap<number, { readonly rows: readonly RecordingRow[]; readonly tick: number }>
}

export type RecordingPages = {
  readonly total: number | null
  /** True if more recordings match than the list can show. The list then shows the newest. */
  readonly hasMore: boolean
  readonly outline: RecordingOutline | null
  readonly error: string | null
  /** True while the rows still belong to the previous query. */
  readonly isStale: boolean
  readonly rowAt: (index: number) => RecordingRow | undefined
  /** The rows of all cached pages. */
  readonly loadedRows: () => readonly RecordingRow[]
}

type PageRange = { readonly first: number; readonly last: number }

/**
 * The pages that contain these rows. `useRecordingPages` takes pages, because scrolling changes the visible rows in
 * every frame.
 */
export const pagesBetween = (firstRow: number, lastRow: number): PageRange => ({
  first: Math.floor(firstRow / PAGE_ROWS),
  last: Math.floor(Math.max(firstRow, lastRow) / PAGE_ROWS),
})

/** The rows of these pages, without rows beyond the end of the list. */
export const rowsOf = ({ first, last }: PageRange, total: number): PageRange => ({
  first: Math.min(first * PAGE_ROWS, Math.max(0, total - 1)),
  last: Math.min((last + 1) * PAGE_ROWS, total) - 1,
})

const pagesNear = (pages: LoadedPages['pages'], centre: number): LoadedPages['pages'] =>
  new Map([...pages].filter(([page]) => Math.abs(page - centre) <= CACHED_PAGES))

/** Loads the visible pages when the query or the pages change, and at every tick. */
export const useRecordingPages = (
  query: ListQuery,
  visiblePages: PageRange,
  tick: number,
): RecordingPages => {
  const key = JSON.stringify(query)
  const [loaded, setLoaded] = useState<LoadedPages | null>(null)
  const [error, setError] = useState<string | null>(null)
  const requestedPages = useRef(new Set<string>())
  const lastOutline = useRef({ requestKey: '', notBeforeMs: 0 })
  const currentKey = useRef(key)
  currentKey.current = key

  const currentPages = loaded?.key === key ? loaded : null
  const firstPage = currentPages === null ? 0 : visiblePages.first
  const lastPage = currentPages === null ? 0 : visiblePages.last

  useEffect(() => {
    /**
     * True if this request should also load the outline. If one request loads both, headings and rows match. The first
     * request of a query loads the outline. After the wait, at most one request per tick loads it again.
     */
    const claimOutline = (): boolean => {
      const requestKey = `${key} ${tick}`
      const before = lastOutline.current
      const isNewQuery = !before.requestKey.startsWith(`${key} `)
      if (before.requestKey === requestKey || (!isNewQuery && performance.now() < before.notBeforeMs))
        return false
      lastOutline.current = { ...before, requestKey }
      return true
    }
    const load = async (page: number) => {
      const requestKey = `${key} ${page} ${tick}`
      if (requestedPages.current.has(requestKey)) return
      requestedPages.current.add(requestKey)
      const includesOutline = claimOutline()
      const startedAt = performance.now()
      try {
        const answer = await ask('listRecordings', {
          ...(JSON.parse(key) as ListQuery),
          outline: includesOutline,
          offset: page * PAGE_ROWS,
          limit: PAGE_ROWS,
        })
        const now = performance.now()
        if (includesOutline) lastOutline.current.notBeforeMs = now + (now - startedAt) * OUTLINE_WAIT_FACTOR
        if (currentKey.current !== key) return
        setLoaded((before) => {
          const sameQuery = before?.key === key ? before : null
          const pages = new Map(sameQuery === null ? [] : pagesNear(sameQuery.pages, page))
          const loadedPage = pages.get(page)
          // A slow answer must not replace newer rows or a newer total.
          if (loadedPage === undefined || loadedPage.tick <= tick)
            pages.set(page, { rows: answer.rows, tick })
          const isNewest = [...pages.values()].every((other) => other.tick <= tick)
          const { total, hasMore } = isNewest || sameQuery === null ? answer : sameQuery
          return { key, total, hasMore, outline: answer.outline ?? sameQuery?.outline ?? null, pages }
        })
        setError(null)
      } catch (reason) {
        if (includesOutline) lastOutline.current.requestKey = ''
        if (currentKey.current === key) setError(sentenceOf(reason))
      } finally {
        requestedPages.current.delete(requestKey)
      }
    }
    for (let page = firstPage; page <= lastPage; page += 1) void load(page)
  }, [key, firstPage, lastPage, tick])

  return {
    total: loaded?.total ?? null,
    hasMore: loaded?.hasMore ?? false,
    outline: loaded?.outline ?? null,
    error,
    isStale: loaded !== null && loaded.key !== key,
    loadedRows: () => [...(loaded?.pages.values() ?? [])].flatMap(({ rows }) => rows),
    rowAt: (index) => loaded?.pages.get(Math.floor(index / PAGE_ROWS))?.rows[index % PAGE_ROWS],
  }
}

const IDS_PER_REQUEST = 500
/** The maximum number of IDs of one action. The IPC schema refuses more. */
const MAX_IDS = 100_000

/** The IDs of a row range, including rows that were never visible. */
export const idsBetween = async (query: ListQuery, first: number, last: number): Promise<number[]> => {
  const ids: number[] = []
  const end = Math.min(last, first + MAX_IDS - 1)
  for (let offset = first; offset <= end; offset += IDS_PER_REQUEST) {
    const limit = Math.min(IDS_PER_REQUEST, end - offset + 1)
    const { rows } = await ask('listRecordings', { ...query, offset, limit })
    ids.push(...rows.map((row) => row.id))
    if (rows.length < limit) break
  }
  return ids
}

import { useCallback, useEffect, useEffectEvent, useRef, useState } from 'react'
import { sentenceOf } from './shown-error.ts'

type Page<T> = { readonly items: readonly T[]; readonly older: string | null }

type LoadedList<T> = Page<T> & { readonly key: string }

export type OlderPages<T> = {
  /** Null until the first page is loaded. */
  readonly items: readonly T[] | null
  readonly error: string | null
  readonly isLoading: boolean
  /** True if there are older entries that the list can load. */
  readonly hasOlder: boolean
  /** True if the list is full, although there are older entries. */
  readonly isFull: boolean
  readonly loadOlder: () => void
  readonly reload: () => void
}

/** With fewer results than this, the next page loads at once, because the user cannot scroll a short list. */
const MIN_RESULTS = 30
/** The maximum number of entries. For older entries, the user searches or narrows the time range. */
export const MAX_ENTRIES = 20_000

/**
 * A list with the newest entry on top. A new `tick` adds new entries, and scrolling loads older ones. A new key starts
 * a new list.
 */
export const useOlderPages = <T>(
  key: string,
  tick: number,
  load: (older: string | null) => Promise<Page<T>>,
  idOf: (item: T) => string,
): OlderPages<T> => {
  const [loaded, setLoaded] = useState<LoadedList<T> | null>(null)
  const [error, setError] = useState<string | null>(null)
  const [isLoading, setIsLoading] = useState(true)
  const [reloadCount, setReloadCount] = useState(0)
  const currentKey = useRef(key)
  currentKey.current = key
  const isRequestRunning = useRef(false)
  /**
   * True if the user reached the end during a request, or if the next page failed to load. Without another scroll
   * event, the next page loads by itself after that request or after the next successful one.
   */
  const isNextWanted = useRef(false)
  const loadPage = useEffectEvent(load)

  const attempt = useCallback(async (forKey: string, act: () => Promise<void>) => {
    isRequestRunning.current = true
    setIsLoading(true)
    try {
      await act()
      if (currentKey.current === forKey) setError(null)
      return true
    } catch (reason) {
      if (currentKey.current === forKey) setError(sentenceOf(reason))
      return false
    } finally {
      isRequestRunning.current = false
      setIsLoading(false)
    }
  }, [])

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new `tick` or `reloadCount` loads the newest entries.
  useEffect(() => {
    void attempt(key, async () => {
      const firstPage = await loadPage(null)
      if (currentKey.current !== key) return
      setLoaded((before) => {
        const newList: LoadedList<T> = { ...firstPage, key }
        if (before?.key !== key) return newList
        const [newestKnownItem] = before.items
        const newestId = newestKnownItem === undefined ? null : idOf(newestKnownItem)
        const newCount = firstPage.items.findIndex((item) => idOf(item) === newestId)
        // More entries arrived than fit into a page. The list starts again, so that it has no gap.
        return newCount < 0
          ? newList
          : { ...before, items: [...firstPage.items.slice(0, newCount), ...before.items] }
      })
    })
  }, [key, tick, reloadCount])

  const olderThanLoaded = loaded?.key === key ? loaded.older : null
  const isFull = olderThanLoaded !== null && (loaded?.items.length ?? 0) >= MAX_ENTRIES
  const older = isFull ? null : olderThanLoaded
  const loadOlder = useCallback(() => {
    if (older === null) return
    isNextWanted.current = isRequestRunning.current
    if (isRequestRunning.current) return
    void attempt(key, async () => {
      const nextPage = await loadPage(older)
      if (currentKey.current !== key) return
      setLoaded((before) => {
        if (before?.key !== key || before.older !== older) return before
        return { key, items: [...before.items, ...nextPage.items], older: nextPage.older }
      })
    }).then((isLoaded) => {
      if (!isLoaded) isNextWanted.current = true
    })
  }, [attempt, key, older])

  useEffect(() => {
    if (!isLoading && error === null && isNextWanted.current) loadOlder()
  }, [isLoading, error, loadOlder])

  const isShort = loaded?.key === key && loaded.items.length < MIN_RESULTS
  useEffect(() => {
    if (isShort && !isLoading && error === null) loadOlder()
  }, [isShort, isLoading, error, loadOlder])

  const reload = useCallback(() => setReloadCount((value) => value + 1), [])
  return {
    items: loaded?.key === key ? loaded.items : null,
    error,
    isLoading,
    hasOlder: older !== null,
    isFull,
    loadOlder,
    reload,
  }
}

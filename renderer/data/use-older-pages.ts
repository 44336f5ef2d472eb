import { useCallback, useEffect, useEffectEvent, useRef, useState } from 'react'
import { sentenceOf } from './ask.ts'

type Page<T> = { readonly items: readonly T[]; readonly older: string | null }

type Held<T> = Page<T> & { readonly key: string }

export type OlderPages<T> = {
  /** Null until the first page is loaded. */
  readonly items: readonly T[] | null
  readonly error: string | null
  readonly busy: boolean
  /** True if there are older entries. */
  readonly hasOlder: boolean
  readonly loadOlder: () => void
  readonly reload: () => void
}

/** With fewer results, the next page loads at once. Otherwise a search could show an empty list too early. */
const MIN_RESULTS = 30
/** The maximum number of entries. To reach older ones, the user narrows the time range. */
const MAX_ENTRIES = 20_000

/**
 * A list that loads backwards from now. Each `tick` adds new entries on top; scrolling loads older ones. A new key starts
 * over.
 */
export const useOlderPages = <T>(
  key: string,
  tick: number,
  load: (older: string | null) => Promise<Page<T>>,
  idOf: (item: T) => string,
): OlderPages<T> => {
  const [held, setHeld] = useState<Held<T> | null>(null)
  const [error, setError] = useState<string | null>(null)
  const [busy, setBusy] = useState(true)
  const [round, setRound] = useState(0)
  const currentKey = useRef(key)
  currentKey.current = key
  const asking = useRef(false)
  /**
   * True if the user reached the end during a request. The next page must load after it, because no scroll event follows.
   */
  const wanted = useRef(false)
  const ask = useEffectEvent(load)

  const attempt = useCallback(async (forKey: string, act: () => Promise<void>) => {
    asking.current = true
    setBusy(true)
    try {
      await act()
      if (currentKey.current === forKey) setError(null)
    } catch (reason) {
      if (currentKey.current === forKey) setError(sentenceOf(reason))
    } finally {
      asking.current = false
      setBusy(false)
    }
  }, [])

  // biome-ignore lint/correctness/useExhaustiveDependencies: `tick` and `round` reload the newest entries.
  useEffect(() => {
    void attempt(key, async () => {
      const first = await ask(null)
      if (currentKey.current !== key) return
      setHeld((before) => {
        const fresh: Held<T> = { ...first, key }
        if (before?.key !== key) return fresh
        const [newestKnown] = before.items
        const known = newestKnown === undefined ? null : idOf(newestKnown)
        const at = first.items.findIndex((item) => idOf(item) === known)
        // Without an overlap, more entries arrived than fit into a page, so the list starts over.
        return at < 0 ? fresh : { ...before, items: [...first.items.slice(0, at), ...before.items] }
      })
    })
  }, [key, tick, round])

  const older = held?.key === key ? held.older : null
  const loadOlder = useCallback(() => {
    if (older === null) return
    wanted.current = asking.current
    if (asking.current) return
    void attempt(key, async () => {
      const next = await ask(older)
      if (currentKey.current !== key) return
      setHeld((before) => {
        if (before?.key !== key || before.older !== older) return before
        const items = [...before.items, ...next.items]
        return { key, items, older: items.length >= MAX_ENTRIES ? null : next.older }
      })
    })
  }, [attempt, key, older])

  useEffect(() => {
    if (!busy && wanted.current) loadOlder()
  }, [busy, loadOlder])

  const few = held?.key === key && held.items.length < MIN_RESULTS
  useEffect(() => {
    if (few && !busy && error === null) loadOlder()
  }, [few, busy, error, loadOlder])

  const reload = useCallback(() => setRound((value) => value + 1), [])
  return {
    items: held?.key === key ? held.items : null,
    error,
    busy,
    hasOlder: older !== null,
    loadOlder,
    reload,
  }
}

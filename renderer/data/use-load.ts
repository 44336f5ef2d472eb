import { useCallback, useEffect, useEffectEvent, useState } from 'react'
import { sentenceOf } from './shown-error.ts'

export type Loaded<T> = {
  /** The last result. It stays while a newer result loads, so that nothing jumps. */
  readonly data: T | null
  readonly error: string | null
  readonly isLoading: boolean
  readonly reload: () => void
}

/** Loads again when `key` changes, and ignores results for earlier keys. Loads nothing while `key` is null. */
export const useLoad = <T>(key: string | null, load: () => Promise<T>): Loaded<T> => {
  const [loaded, setLoaded] = useState<{ readonly key: string; readonly data: T } | null>(null)
  const [error, setError] = useState<string | null>(null)
  const [isLoading, setIsLoading] = useState(key !== null)
  const [reloadCount, setReloadCount] = useState(0)
  const run = useEffectEvent(load)

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new `reloadCount` triggers a reload.
  useEffect(() => {
    if (key === null) return setIsLoading(false)
    let isCurrent = true
    setIsLoading(true)
    run()
      .then((data) => {
        if (!isCurrent) return
        setLoaded({ key, data })
        setError(null)
      })
      .catch((reason: unknown) => isCurrent && setError(sentenceOf(reason)))
      .finally(() => isCurrent && setIsLoading(false))
    return () => {
      isCurrent = false
    }
  }, [key, reloadCount])

  const reload = useCallback(() => setReloadCount((value) => value + 1), [])
  return { data: loaded?.data ?? null, error, isLoading, reload }
}

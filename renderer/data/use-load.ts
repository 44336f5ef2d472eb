import { useCallback, useEffect, useEffectEvent, useState } from 'react'
import { sentenceOf } from './ask.ts'

export type Loaded<T> = {
  /** The last result. It stays while a newer one loads, so that nothing jumps. */
  readonly data: T | null
  readonly error: string | null
  readonly busy: boolean
  readonly reload: () => void
}

/** Loads again when `key` changes and drops results of older keys. `null` loads nothing. */
export const useLoad = <T>(key: string | null, load: () => Promise<T>): Loaded<T> => {
  const [held, setHeld] = useState<{ readonly key: string; readonly data: T } | null>(null)
  const [error, setError] = useState<string | null>(null)
  const [busy, setBusy] = useState(key !== null)
  const [round, setRound] = useState(0)
  const run = useEffectEvent(load)

  // biome-ignore lint/correctness/useExhaustiveDependencies: `round` reloads.
  useEffect(() => {
    if (key === null) return setBusy(false)
    let current = true
    setBusy(true)
    run()
      .then((data) => {
        if (!current) return
        setHeld({ key, data })
        setError(null)
      })
      .catch((reason: unknown) => current && setError(sentenceOf(reason)))
      .finally(() => current && setBusy(false))
    return () => {
      current = false
    }
  }, [key, round])

  const reload = useCallback(() => setRound((value) => value + 1), [])
  return { data: held?.data ?? null, error, busy, reload }
}

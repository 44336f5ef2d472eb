import { useEffect, useEffectEvent, useState } from 'react'
import { sentenceOf } from './ask.ts'

export type DebouncedCheck<V> =
  | { readonly phase: 'checking' }
  | { readonly phase: 'answered'; readonly verdict: V }
  | { readonly phase: 'not-checked'; readonly sentence: string }

const RETRY_MS = 2_000

/** Checks typed input after a pause and drops results of older input. `null` checks nothing. */
export const useDebouncedCheck = <V>(
  typed: string | null,
  pauseMs: number,
  check: () => Promise<V>,
): DebouncedCheck<V> => {
  const [answer, setAnswer] = useState<{ readonly for: string; readonly check: DebouncedCheck<V> } | null>(
    null,
  )
  const run = useEffectEvent(check)

  useEffect(() => {
    if (typed === null) return
    let isCurrent = true
    let timer: ReturnType<typeof setTimeout>
    // Retries a failed call: the agent may still be starting.
    const attempt = () => {
      void run()
        .then((verdict): DebouncedCheck<V> => ({ phase: 'answered', verdict }))
        .catch(
          (reason: unknown): DebouncedCheck<V> => ({ phase: 'not-checked', sentence: sentenceOf(reason) }),
        )
        .then((check) => {
          if (!isCurrent) return
          setAnswer({ for: typed, check })
          if (check.phase === 'not-checked') timer = setTimeout(attempt, RETRY_MS)
        })
    }
    timer = setTimeout(attempt, pauseMs)
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [typed, pauseMs])

  return answer?.for === typed ? answer.check : { phase: 'checking' }
}

import { useEffect, useEffectEvent, useState } from 'react'
import { sentenceOf } from './shown-error.ts'

export type DebouncedCheck<V> =
  | { readonly phase: 'checking' }
  | { readonly phase: 'answered'; readonly verdict: V }
  | { readonly phase: 'not-checked'; readonly sentence: string }

const RETRY_MS = 2_000

/**
 * Checks typed text after a pause in typing. Ignores results for earlier text. Checks nothing while `typedText` is
 * null.
 */
export const useDebouncedCheck = <V>(
  typedText: string | null,
  pauseMs: number,
  check: () => Promise<V>,
): DebouncedCheck<V> => {
  const [answer, setAnswer] = useState<{ readonly for: string; readonly check: DebouncedCheck<V> } | null>(
    null,
  )
  const run = useEffectEvent(check)

  useEffect(() => {
    if (typedText === null) return
    let isCurrent = true
    let timer: ReturnType<typeof setTimeout>
    // Retries after a failure, because the agent may still be starting.
    const attempt = () => {
      void run()
        .then((verdict): DebouncedCheck<V> => ({ phase: 'answered', verdict }))
        .catch(
          (reason: unknown): DebouncedCheck<V> => ({ phase: 'not-checked', sentence: sentenceOf(reason) }),
        )
        .then((check) => {
          if (!isCurrent) return
          setAnswer({ for: typedText, check })
          if (check.phase === 'not-checked') timer = setTimeout(attempt, RETRY_MS)
        })
    }
    timer = setTimeout(attempt, pauseMs)
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [typedText, pauseMs])

  return answer?.for === typedText ? answer.check : { phase: 'checking' }
}

import { useEffect, useEffectEvent, useState } from 'react'
import { sentenceOf } from './ask.ts'

export type TypedCheck<V> =
  | { readonly phase: 'checking' }
  | { readonly phase: 'answered'; readonly verdict: V }
  | { readonly phase: 'not-asked'; readonly sentence: string }

/** Tries what was typed once the typing pauses; an answer for what was typed before is dropped. `null` asks nothing. */
export const useTypedCheck = <V>(
  typed: string | null,
  pauseMs: number,
  ask: () => Promise<V>,
): TypedCheck<V> => {
  const [answer, setAnswer] = useState<{ readonly for: string; readonly check: TypedCheck<V> } | null>(null)
  const run = useEffectEvent(ask)

  useEffect(() => {
    if (typed === null) return
    let current = true
    const timer = setTimeout(() => {
      run()
        .then((verdict): TypedCheck<V> => ({ phase: 'answered', verdict }))
        .catch((reason: unknown): TypedCheck<V> => ({ phase: 'not-asked', sentence: sentenceOf(reason) }))
        .then((check) => current && setAnswer({ for: typed, check }))
    }, pauseMs)
    return () => {
      current = false
      clearTimeout(timer)
    }
  }, [typed, pauseMs])

  return answer?.for === typed ? answer.check : { phase: 'checking' }
}

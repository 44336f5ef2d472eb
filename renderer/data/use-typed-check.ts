import { useEffect, useEffectEvent, useState } from 'react'
import { sentenceOf } from './ask.ts'

export type TypedCheck<V> =
  | { readonly phase: 'checking' }
  | { readonly phase: 'answered'; readonly verdict: V }
  | { readonly phase: 'not-asked'; readonly sentence: string }

const ASK_AGAIN_MS = 2_000

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
    let timer: ReturnType<typeof setTimeout>
    // What could not be asked (the agent has only just been started) is asked again, without anybody's typing.
    const attempt = () => {
      void run()
        .then((verdict): TypedCheck<V> => ({ phase: 'answered', verdict }))
        .catch((reason: unknown): TypedCheck<V> => ({ phase: 'not-asked', sentence: sentenceOf(reason) }))
        .then((check) => {
          if (!current) return
          setAnswer({ for: typed, check })
          if (check.phase === 'not-asked') timer = setTimeout(attempt, ASK_AGAIN_MS)
        })
    }
    timer = setTimeout(attempt, pauseMs)
    return () => {
      current = false
      clearTimeout(timer)
    }
  }, [typed, pauseMs])

  return answer?.for === typed ? answer.check : { phase: 'checking' }
}

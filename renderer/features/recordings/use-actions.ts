import { useEffect, useState } from 'react'
import type { ActProgress, CallArgs } from '../../../shared/ipc/ipc.ts'
import type { RecordingAct } from '../../../shared/status/recording-actions.ts'
import { plural } from '../../../shared/words/format.ts'
import { ask } from '../../data/ask.ts'
import { useNotices } from '../../data/Notices.tsx'
import { outcomeSentence } from './action-words.ts'

export type Chosen = CallArgs<'retryRecordings'>

const calls = {
  retry: 'retryRecordings',
  first: 'prioritiseRecordings',
  pause: 'pauseRecordings',
  resume: 'resumeRecordings',
  dismiss: 'dismissRecordings',
} as const satisfies Record<RecordingAct, string>

const POLL_MS = 300

export type Acts = {
  readonly run: (act: RecordingAct, chosen: Chosen) => Promise<void>
  /** The running action and its progress, once known. */
  readonly busy: { readonly act: RecordingAct; readonly progress: ActProgress | null } | null
}

/** Runs an action in the agent, shows its progress and result, and offers Undo. */
export const useActs = (): Acts => {
  const { done, failed } = useNotices()
  const [act, setAct] = useState<RecordingAct | null>(null)
  const [progress, setProgress] = useState<ActProgress | null>(null)

  useEffect(() => {
    if (act === null) return setProgress(null)
    const poll = () => ask('getActProgress').then(setProgress, () => undefined)
    const timer = setInterval(() => void poll(), POLL_MS)
    return () => clearInterval(timer)
  }, [act])

  const run = async (wanted: RecordingAct, chosen: Chosen) => {
    setAct(wanted)
    try {
      const outcome = await ask(calls[wanted], chosen)
      const { undo } = outcome
      const undoAct = async (token: number) => {
        const { acted } = await ask('undoAct', { undo: token })
        return acted === 0
          ? 'Nothing to undo: it has already continued.'
          : `Undone for ${plural(acted, 'recording')}.`
      }
      done(outcomeSentence(wanted, outcome), undo === null ? undefined : () => undoAct(undo))
    } catch (error) {
      failed(error)
    } finally {
      setAct(null)
    }
  }

  return { run, busy: act === null ? null : { act, progress } }
}

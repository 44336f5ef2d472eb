import { useEffect, useState } from 'react'
import type { ActionProgress, CallArgs } from '../../../shared/ipc/ipc.ts'
import type { RecordingAction } from '../../../shared/status/status.ts'
import { plural } from '../../../shared/words/format.ts'
import { ask } from '../../data/ask.ts'
import { useNotices } from '../../data/Notices.tsx'
import { outcomeSentence } from './action-words.ts'

export type ActionTarget = CallArgs<'retryRecordings'>

const calls = {
  retry: 'retryRecordings',
  prioritise: 'prioritiseRecordings',
  pause: 'pauseRecordings',
  resume: 'resumeRecordings',
  dismiss: 'dismissRecordings',
} as const satisfies Record<RecordingAction, string>

const POLL_MS = 300

export type Actions = {
  readonly run: (action: RecordingAction, target: ActionTarget) => Promise<void>
  /** The running action and its progress, once known. */
  readonly running: { readonly action: RecordingAction; readonly progress: ActionProgress | null } | null
}

/** Runs an action in the agent, shows its progress and result, and offers Undo. */
export const useActions = (): Actions => {
  const { showSuccess, showError } = useNotices()
  const [action, setAction] = useState<RecordingAction | null>(null)
  const [progress, setProgress] = useState<ActionProgress | null>(null)

  useEffect(() => {
    if (action === null) return setProgress(null)
    const poll = () => ask('getActionProgress').then(setProgress, () => undefined)
    const timer = setInterval(() => void poll(), POLL_MS)
    return () => clearInterval(timer)
  }, [action])

  const run = async (newAction: RecordingAction, target: ActionTarget) => {
    setAction(newAction)
    try {
      const outcome = await ask(calls[newAction], target)
      const { undo } = outcome
      const undoAction = async (token: number) => {
        const { acted } = await ask('undoAction', { undo: token })
        return acted === 0
          ? 'Nothing to undo: the recordings have already continued.'
          : `Undone for ${plural(acted, 'recording')}.`
      }
      showSuccess(outcomeSentence(newAction, outcome), undo === null ? undefined : () => undoAction(undo))
    } catch (error) {
      showError(error)
    } finally {
      setAction(null)
    }
  }

  return { run, running: action === null ? null : { action, progress } }
}

import { useEffect, useState } from 'react'
import type { FolderVerdict } from '../../../shared/ipc.ts'
import { ask, sentenceOf } from '../../data/ask.ts'

export type FolderCheck =
  | { readonly phase: 'nothing' | 'checking' }
  | { readonly phase: 'answered'; readonly verdict: FolderVerdict }
  | { readonly phase: 'not-asked'; readonly sentence: string }

const TYPING_PAUSE_MS = 300

/** Asks the agent, which is the one that will have to read the folder, whether it can. */
export const useFolderCheck = (path: string): FolderCheck => {
  const [answer, setAnswer] = useState<{ readonly for: string; readonly check: FolderCheck } | null>(null)
  const asked = path.trim()

  useEffect(() => {
    if (asked === '') return
    let current = true
    const timer = setTimeout(() => {
      ask('checkFolder', { path: asked })
        .then((verdict): FolderCheck => ({ phase: 'answered', verdict }))
        .catch((reason: unknown): FolderCheck => ({ phase: 'not-asked', sentence: sentenceOf(reason) }))
        .then((check) => current && setAnswer({ for: asked, check }))
    }, TYPING_PAUSE_MS)
    return () => {
      current = false
      clearTimeout(timer)
    }
  }, [asked])

  if (asked === '') return { phase: 'nothing' }
  return answer?.for === asked ? answer.check : { phase: 'checking' }
}

export const folderIsRight = (check: FolderCheck): boolean => check.phase === 'answered' && check.verdict.ok

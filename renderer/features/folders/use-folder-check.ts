import type { FolderVerdict } from '../../../shared/ipc/ipc.ts'
import { ask } from '../../data/ask.ts'
import { type DebouncedCheck, useDebouncedCheck } from '../../data/use-debounced-check.ts'

export type FolderCheck = { readonly phase: 'nothing' } | DebouncedCheck<FolderVerdict>

const TYPING_PAUSE_MS = 300

/** Asks the agent whether the folder can be watched. */
export const useFolderCheck = (path: string): FolderCheck => {
  const trimmedPath = path.trim() || null
  const check = useDebouncedCheck(trimmedPath, TYPING_PAUSE_MS, () =>
    ask('checkFolder', { path: path.trim() }),
  )
  return trimmedPath === null ? { phase: 'nothing' } : check
}

export const isFolderUsable = (check: FolderCheck): boolean => check.phase === 'answered' && check.verdict.ok

import type { FolderStatus } from '../../../shared/status/status.ts'
import { isLeftOut, knownProblems } from '../domain/folder-problems.ts'
import type { Journal } from '../journal/journal.ts'

type FolderState = Pick<FolderStatus, 'state' | 'problem' | 'problems'>

/**
 * Combines the watcher's state with the journal's problems. Before the first scan, shows only problems of files that
 * Sluice leaves out, because the others may be over.
 */
export const folderStateOf = (
  journal: Journal,
  folder: string,
  state: FolderStatus['state'],
): FolderState => {
  const problems = knownProblems(journal.folders.of(folder)?.problems ?? []).filter(
    ({ problem }) => state !== 'scanning' || isLeftOut(problem.code),
  )
  return { state, problem: problems[0]?.problem ?? null, problems }
}

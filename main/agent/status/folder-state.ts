import { type FolderStatus, needsSomebody } from '../../../shared/status/status.ts'
import { plural } from '../../../shared/words/format.ts'
import { isLeftOut, knownProblems } from '../domain/folder-problems.ts'
import type { Journal } from '../journal/journal.ts'

type FolderState = Pick<FolderStatus, 'state' | 'problem' | 'problems'>

/**
 * Combines the watcher's state with the journal's problems. Before the first scan after a start, it is unknown whether
 * the folder is still offline; left-out files count until a scan clears them.
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

/** For the headline: the first folder that needs attention, and how many more do. */
export const foldersSentence = (
  folders: readonly Pick<FolderStatus, 'path' | 'problems'>[],
): string | null => {
  const inTrouble = folders.flatMap(({ path, problems }) => {
    const [first] = problems.filter(({ problem }) => needsSomebody(problem))
    return first === undefined ? [] : [`${path}: ${first.problem.sentence}`]
  })
  const [first, ...more] = inTrouble
  if (first === undefined) return null
  return more.length === 0
    ? first
    : `${first} ${plural(more.length, 'more folder needs', 'more folders need')} attention.`
}

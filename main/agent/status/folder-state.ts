import { type FolderStatus, needsSomebody } from '../../../shared/status/status.ts'
import { plural } from '../../../shared/words/format.ts'
import { isLeftOut, knownProblems } from '../domain/folder-problems.ts'
import type { Journal } from '../journal/journal.ts'

type FolderState = Pick<FolderStatus, 'state' | 'problem' | 'problems'>

/**
 * The watcher knows the state, the journal the problems. Before the first scan after a start nobody knows whether the
 * folder is still offline; what was left out counts until a scan finds it.
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

/** For the headline: the first folder that somebody has to see to, and how many more there are. */
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

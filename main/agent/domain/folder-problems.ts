import type { FolderSettings } from '../../../shared/settings/settings.ts'
import { type Problem, type ProblemCode, problemCodes } from '../../../shared/status/problem.ts'
import type { FolderProblem } from '../../../shared/status/status.ts'
import { problemOf } from './problems.ts'

/** Problems of single paths. Sluice leaves out these paths and uploads the rest of the folder. */
export const leftOutCodes = [
  'file-name-not-text',
  'folder-entry-unreadable',
  'folder-path-too-long',
] as const satisfies readonly ProblemCode[]

export const isLeftOut = (code: string): boolean => (leftOutCodes as readonly string[]).includes(code)

/** A problem before the journal adds `since`. */
export type FoundProblem = Omit<FolderProblem, 'since'>

/** Sluice stores at most this many paths per problem, and also the total number of paths. */
const MAX_PATHS = 100
/** Longer paths would fill the screen and the journal, so the middle of a path is cut out. */
const MAX_SHOWN_CHARS = 300

const SHOWN_END_CHARS = MAX_SHOWN_CHARS / 2

const shorten = (path: string): string =>
  path.length <= MAX_SHOWN_CHARS ? path : `${path.slice(0, SHOWN_END_CHARS)}…${path.slice(-SHOWN_END_CHARS)}`

type LeftOut = { readonly path: string; readonly detail: string | null }

/** Entries that a complete scan had to leave out. */
export type SkippedEntries = {
  /** Full paths. Bytes of the file name that are not valid text are escaped. */
  readonly unreadableNames: readonly string[]
  readonly unreadablePaths: readonly {
    readonly path: string
    readonly code: string
    readonly detail: string
  }[]
}

/** How the folder groups its files into takes. `takeOf` returns the path itself if it belongs to no take. */
type TakeRule = { readonly mode: FolderSettings['take']; readonly takeOf: (path: string) => string }

/**
 * Chooses at most MAX_PATHS paths to store, with one path of each take first. `hasEachTakeOf` is set only if each take
 * has a stored path.
 */
const cutPaths = (entries: readonly LeftOut[], { mode, takeOf }: TakeRule) => {
  const firstOfTake = new Map<string, LeftOut>()
  for (const entry of entries) {
    const take = takeOf(entry.path)
    if (!firstOfTake.has(take)) firstOfTake.set(take, entry)
  }
  const firsts = new Set(firstOfTake.values())
  const others = entries.filter((entry) => !firsts.has(entry))
  return {
    leftOut: [...firsts, ...others].slice(0, MAX_PATHS),
    ...(firsts.size <= MAX_PATHS ? { hasEachTakeOf: mode } : {}),
  }
}

const problemFor = (code: ProblemCode, entries: readonly LeftOut[], rule: TakeRule): FoundProblem[] => {
  const [first] = entries
  if (first === undefined) return []
  const { leftOut, ...takes } = entries.length <= MAX_PATHS ? { leftOut: entries } : cutPaths(entries, rule)
  const othersText = entries.length > 1 ? `, and ${entries.length - 1} more` : ''
  const reasonText = first.detail === null ? '' : `: ${first.detail}`
  return [
    {
      problem: problemOf(code, { detail: `${shorten(first.path)}${reasonText}${othersText}` }),
      leftOut: leftOut.map(({ path }) => shorten(path)),
      leftOutCount: entries.length,
      ...takes,
    },
  ]
}

/** One problem per reason, so that no reason hides another. */
export const leftOutProblems = (
  { unreadableNames, unreadablePaths }: SkippedEntries,
  rule: TakeRule,
): FoundProblem[] => {
  const isTooLong = ({ code }: { readonly code: string }) => code === 'ENAMETOOLONG'
  return [
    ...problemFor(
      'folder-entry-unreadable',
      unreadablePaths.filter((entry) => !isTooLong(entry)),
      rule,
    ),
    ...problemFor(
      'folder-path-too-long',
      unreadablePaths.filter(isTooLong).map(({ path }) => ({ path, detail: null })),
      rule,
    ),
    ...problemFor(
      'file-name-not-text',
      unreadableNames.map((path) => ({ path, detail: null })),
      rule,
    ),
  ]
}

/** A problem that names no path. */
export const problemWithoutPath = (problem: Problem): FoundProblem => ({
  problem,
  leftOut: [],
  leftOutCount: 0,
})

const isKnownCode = (code: string): boolean => (problemCodes as readonly string[]).includes(code)

/** Leaves out problems of a newer Sluice that this Sluice does not know. */
export const knownProblems = (problems: readonly FolderProblem[]): readonly FolderProblem[] =>
  problems.filter(({ problem }) => isKnownCode(problem.code))

/**
 * Whether a scan may have left out a path that `matches` accepts. A long path is stored without its middle, so
 * `mayMatch` gets only its beginning, which may end inside a name. If some paths are not stored, the result is true.
 * Exception: if `hasEachTakeOf` equals `mode` (the current setting `take`), one path of each take is stored.
 */
export const mayHaveLeftOut = (
  problems: readonly FoundProblem[],
  mode: FolderSettings['take'],
  matches: (path: string) => boolean,
  mayMatch: (beginning: string) => boolean,
): boolean =>
  problems.some(
    ({ leftOut, leftOutCount, hasEachTakeOf }) =>
      (leftOutCount > leftOut.length && hasEachTakeOf !== mode) ||
      leftOut.some((path) =>
        path.length > MAX_SHOWN_CHARS ? mayMatch(path.slice(0, SHOWN_END_CHARS)) : matches(path),
      ),
  )

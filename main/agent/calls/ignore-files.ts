import { setImmediate } from 'node:timers/promises'
import type { IgnorePreview, IgnoreProposal } from '../../../shared/ipc/ignore-preview.ts'
import type { Paths } from '../../../shared/paths/paths.ts'
import type { Standing } from '../../../shared/status/standing.ts'
import { ignorePatterns } from '../domain/ignore-patterns.ts'
import { type StandingContext, standingOf } from '../domain/standing.ts'
import type { Journal } from '../journal/journal.ts'
import { createFolderFilter } from '../platform/folders/folder-filter.ts'

/** Matching takes up to 0.1 ms per row and pattern, so a step takes up to 50 ms per pattern. */
const ROWS_PER_STEP = 500
const MAX_LISTED_NAMES = 8

type World = { readonly journal: Journal; readonly paths: Paths; readonly view: StandingContext }

type Match = { readonly id: number; readonly name: string; readonly standing: Standing }

/** For each pattern, the folder's recordings in the journal that the pattern would exclude. */
const matchesOf = async (
  { journal, paths, view }: World,
  folder: string,
  patterns: readonly string[],
): Promise<ReadonlyMap<string, readonly Match[]>> => {
  const matchesByPattern = new Map<string, Match[]>(patterns.map((pattern) => [pattern, []]))
  const filters = patterns.map((pattern) => ({
    matches: matchesByPattern.get(pattern) ?? [],
    ...createFolderFilter({ include: ['**/*'], exclude: [pattern], recursive: true }, paths),
  }))
  // A folder may have 100,000 recordings, so yield between two steps to keep the agent responsive.
  for (let afterId = 0; ; await setImmediate()) {
    const rows = journal.recordings.standingFactsIn(folder, afterId, ROWS_PER_STEP)
    for (const { path, ...facts } of rows) {
      const name = paths.nameInside(folder, path)
      if (name === null) continue
      for (const { matches, takesFile } of filters)
        if (!takesFile(name)) matches.push({ id: facts.id, name, standing: standingOf(facts, view) })
    }
    const last = rows.at(-1)
    if (last === undefined) return matchesByPattern
    afterId = last.id
  }
}

const needsAttention = ({ standing }: Match): boolean => standing === 'needs-attention'

const isInProgress = ({ standing }: Match): boolean =>
  standing === 'recording' || standing === 'waiting' || standing === 'uploading' || standing === 'at-service'

const proposalOf = (pattern: string, matches: readonly Match[]): IgnoreProposal => {
  const needingAttention = matches.filter(needsAttention)
  const others = matches.filter((match) => !needsAttention(match))
  return {
    pattern,
    matching: matches.length,
    needAttention: needingAttention.length,
    safe: matches.filter(({ standing }) => standing === 'safe').length,
    inProgress: matches.filter(isInProgress).length,
    names: [...needingAttention, ...others].slice(0, MAX_LISTED_NAMES).map(({ name }) => name),
  }
}

/**
 * Proposes patterns for `exclude` that match a recording, and counts what each would exclude. Suggests the first wider
 * pattern that matches no recording that is safe or in progress. If there is none, suggests the exact name.
 */
export const previewIgnore = async (
  world: World,
  recording: { readonly path: string },
  folder: string,
): Promise<IgnorePreview> => {
  const patterns = ignorePatterns(world.paths.nameInside(folder, recording.path) ?? '')
  const matchesByPattern = await matchesOf(world, folder, patterns)
  const proposals = patterns.map((pattern) => proposalOf(pattern, matchesByPattern.get(pattern) ?? []))
  const [exact, ...wider] = proposals
  const suggested = wider.find(({ safe, inProgress }) => safe + inProgress === 0) ?? exact
  return { folder, proposals, suggested: suggested?.pattern ?? '' }
}

/** The IDs of the folder's recordings that match the pattern and need attention. */
export const idsToIgnore = async (
  world: World,
  folder: string,
  pattern: string,
): Promise<readonly number[]> => {
  const matchesByPattern = await matchesOf(world, folder, [pattern])
  return (matchesByPattern.get(pattern) ?? []).filter(needsAttention).map(({ id }) => id)
}

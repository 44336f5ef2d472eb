import { isOnPurpose, type ProblemCode } from '../../../shared/status/problem.ts'
import { type EndsBy, type ProblemOwner, problemOwners } from '../../../shared/status/problem-terms.ts'
import { type Standing, standings } from '../../../shared/status/standing.ts'
import { type RecordingState, recordingStates } from '../../../shared/status/status.ts'
import { type Owner, ownerOf } from '../../../shared/words/words.ts'
import { problemOf } from '../domain/problems.ts'
import {
  continuesByItself,
  type StandingContext,
  type StandingFacts,
  standingOf,
} from '../domain/standing.ts'
import { liveStates, needsFile } from '../domain/states.ts'
import type { BacklogState } from '../domain/station-metrics.ts'

/** A count of recordings that are equal in every column that the figures depend on. */
type Tally = StandingFacts & {
  readonly folderKey: string
  readonly problemCode: ProblemCode | null
  readonly recordings: number
  readonly bytesLeft: number
}

export type StandingFactsRow = {
  readonly state: RecordingState
  readonly ends_by: EndsBy | '' | null
  readonly service: string | null
  readonly paused: number
}

export const standingFactsOf = (row: StandingFactsRow): StandingFacts => ({
  state: row.state,
  endsBy: row.ends_by === '' ? null : row.ends_by,
  service: row.service === '' ? null : row.service,
  paused: row.paused !== 0,
})

export type TallyRow = StandingFactsRow & {
  readonly folder_key: string
  readonly problem_code: ProblemCode | ''
  readonly recordings: number
  readonly bytes_left: number
}

export const toTally = (row: TallyRow): Tally => ({
  ...standingFactsOf(row),
  folderKey: row.folder_key,
  problemCode: row.problem_code === '' ? null : row.problem_code,
  recordings: row.recordings,
  bytesLeft: row.bytes_left,
})

/** Sums per key; zero for keys without items. */
export const sumBy = <K extends string, T>(
  keys: readonly K[],
  items: readonly T[],
  keyOf: (item: T) => K,
  numberOf: (item: T) => number,
): Record<K, number> => {
  const sums = Object.fromEntries(keys.map((key) => [key, 0])) as Record<K, number>
  for (const item of items) sums[keyOf(item)] += numberOf(item)
  return sums
}

/**
 * Tallies count uploads that wait for a slot as `uploading`. This function moves them to `waiting`. With `folders`, it
 * moves only the uploads in the folders with these keys.
 */
type WithQueued = (counts: Record<Standing, number>, folders?: readonly string[]) => Record<Standing, number>

/** `at-service` is not in the list: the service already has every byte of those recordings. */
const standingsToUpload: readonly Standing[] = ['waiting', 'uploading']

/** All figures of one status snapshot, computed from tallies that were read at one moment. */
export class Figures {
  readonly #tallies: readonly Tally[]
  readonly #context: StandingContext
  readonly #keyOf: (folder: string) => string
  readonly #withQueued: WithQueued

  constructor(
    tallies: readonly Tally[],
    context: StandingContext,
    keyOf: (folder: string) => string,
    withQueued: WithQueued,
  ) {
    this.#tallies = tallies
    this.#context = context
    this.#keyOf = keyOf
    this.#withQueued = withQueued
  }

  counts(): Record<RecordingState, number> {
    return sumBy(
      recordingStates,
      this.#tallies,
      ({ state }) => state,
      ({ recordings }) => recordings,
    )
  }

  standings(): Record<Standing, number> {
    return this.#withQueued(this.#standingsOf(this.#tallies))
  }

  #standingsOf(tallies: readonly Tally[]): Record<Standing, number> {
    return sumBy(
      standings,
      tallies,
      (tally) => standingOf(tally, this.#context),
      ({ recordings }) => recordings,
    )
  }

  /**
   * Recordings that need attention, by who has to act. Leaves out recordings with the problem `take-held`: they count
   * as recordings to check.
   */
  needs(): Record<ProblemOwner, number> {
    return sumBy(
      problemOwners,
      this.#tallies.filter(
        (tally) =>
          tally.problemCode !== 'take-held' && standingOf(tally, this.#context) === 'needs-attention',
      ),
      ({ problemCode }) => problemOf(problemCode ?? 'unexpected').owner,
      ({ recordings }) => recordings,
    )
  }

  /**
   * The bytes still to upload. Leaves out recordings that do not continue by themselves: their bytes may never be sent.
   */
  bytesLeft(): number {
    return this.#tallies
      .filter((tally) => needsFile(tally.state) && continuesByItself(tally))
      .reduce((sum, { bytesLeft }) => sum + bytesLeft, 0)
  }

  /** Unfinished recordings by state. Leaves out dismissed recordings and recordings of removed folders. */
  backlog(): Record<BacklogState, { readonly files: number; readonly bytes: number }> {
    const countedTallies = this.#tallies.filter(({ endsBy }) => endsBy === null || !isOnPurpose({ endsBy }))
    const sum = (numberOf: (tally: Tally) => number) =>
      sumBy(recordingStates, countedTallies, ({ state }) => state, numberOf)
    const files = sum(({ recordings }) => recordings)
    const bytes = sum(({ bytesLeft }) => bytesLeft)
    const entryOf = (state: BacklogState) => [state, { files: files[state], bytes: bytes[state] }] as const
    return Object.fromEntries(liveStates.map(entryOf)) as ReturnType<Figures['backlog']>
  }

  /** Recordings with a problem, by who has to act. */
  holds(): Record<Owner, number> {
    const owners: readonly Owner[] = [...problemOwners, 'nobody']
    return sumBy(
      owners,
      this.#tallies.filter(({ problemCode }) => problemCode !== null),
      ({ problemCode, endsBy }) =>
        ownerOf(problemOf(problemCode ?? 'unexpected', endsBy === null ? {} : { endsBy })),
      ({ recordings }) => recordings,
    )
  }

  standingsIn(folders: readonly string[]): Record<Standing, number> {
    const keys = folders.map(this.#keyOf)
    const ofFolder = this.#tallies.filter(({ folderKey }) => keys.includes(folderKey))
    return this.#withQueued(this.#standingsOf(ofFolder), keys)
  }

  folder(path: string): { readonly recordings: number; readonly waiting: number } {
    const key = this.#keyOf(path)
    const ofFolder = this.#tallies.filter(({ folderKey }) => folderKey === key)
    const sum = (tallies: readonly Tally[]) => tallies.reduce((all, { recordings }) => all + recordings, 0)
    const isToUpload = (tally: Tally) => standingsToUpload.includes(standingOf(tally, this.#context))
    return { recordings: sum(ofFolder), waiting: sum(ofFolder.filter(isToUpload)) }
  }
}

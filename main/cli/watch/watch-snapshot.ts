import type { ProblemGroup, Standing } from '../../../shared/status/status.ts'
import type { Viewpoint } from '../../agent/domain/standing.ts'
import type { Journal } from '../../agent/journal/journal.ts'
import { recordingJson, stationOf } from '../journal-commands.ts'
import { cleanProblem } from '../terminal.ts'

/** As many as any terminal shows at once. */
const MOST_ROWS = 200

export type WatchedRow = ReturnType<typeof recordingJson>

/** What of a station is worth watching, read in a moment from the journal of whoever works on it. */
export type Watched = {
  readonly station: ReturnType<typeof stationOf>['station']
  /** Somebody works on it: the journal was written by an agent a short while ago. */
  readonly isRunning: boolean
  readonly moving: readonly WatchedRow[]
  readonly waiting: readonly WatchedRow[]
  readonly problems: readonly ProblemGroup[]
}

const rows = (journal: Journal, standings: readonly Standing[], view: Viewpoint): readonly WatchedRow[] =>
  journal.list
    .page(
      {
        text: '',
        states: [],
        standings: [...standings],
        sort: 'found',
        descending: false,
        pinned: false,
        outline: false,
        offset: 0,
        limit: MOST_ROWS,
      },
      view,
    )
    .rows.map((recording) => recordingJson(recording, view))

export const lookAt = (journal: Journal): Watched => {
  const { station, view, isRunning } = stationOf(journal)
  return {
    station,
    isRunning,
    moving: rows(journal, ['uploading', 'at-service', 'recording'], view),
    waiting: rows(journal, ['waiting'], view),
    problems: [
      ...station.folders.flatMap(({ path, problems }) =>
        problems.map((problem) => ({ problem, count: 1, folder: path, examples: [] })),
      ),
      ...journal.views
        .problems()
        .map(({ problem, ...group }) => ({ ...group, problem: cleanProblem(problem) })),
    ],
  }
}

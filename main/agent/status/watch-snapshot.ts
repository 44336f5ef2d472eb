import type { Standing } from '../../../shared/status/standing.ts'
import type { ProblemGroup } from '../../../shared/status/status.ts'
import type { Journal } from '../journal/journal.ts'
import { cleanProblem, type LiveConditions, recordingJson, stationOf } from './status-report.ts'

/** More rows than any terminal shows at the same time. */
const MAX_ROWS = 200

export type WatchSnapshotRow = ReturnType<typeof recordingJson>

/** The content of `status --watch`, read from the journal. Works with and without a running agent. */
export type WatchSnapshot = {
  readonly station: ReturnType<typeof stationOf>['station']
  /** True if an agent wrote to the journal recently. */
  readonly isRunning: boolean
  readonly inProgress: readonly WatchSnapshotRow[]
  readonly waiting: readonly WatchSnapshotRow[]
  readonly problems: readonly ProblemGroup[]
}

const rowsIn = (
  journal: Journal,
  standings: readonly Standing[],
  { view, progressOf }: Pick<ReturnType<typeof stationOf>, 'view' | 'progressOf'>,
): readonly WatchSnapshotRow[] =>
  journal.list
    .page(
      {
        text: '',
        states: [],
        standings: [...standings],
        sort: 'found',
        descending: false,
        pinned: false,
        takes: false,
        outline: false,
        offset: 0,
        limit: MAX_ROWS,
      },
      view,
    )
    .rows.map((recording) => recordingJson(recording, view, progressOf(recording)))

export const takeWatchSnapshot = (journal: Journal, live: LiveConditions): WatchSnapshot => {
  const stationStatus = stationOf(journal, live)
  const { station, isRunning } = stationStatus
  return {
    station,
    isRunning,
    inProgress: rowsIn(journal, ['uploading', 'at-service', 'recording'], stationStatus),
    waiting: rowsIn(journal, ['waiting'], stationStatus),
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

import type { CheckedArgs, PathOutcome, UploadNowOutcome } from '../../../shared/ipc/ipc.ts'
import { isOnPurpose } from '../../../shared/status/problem.ts'
import { actionApplies, isUnsent, mayRetryWithTake } from '../../../shared/status/recording-actions.ts'
import { needsFile } from '../domain/states.ts'
import type { Journal, Recording } from '../journal/journal.ts'
import { CallRefusedError } from './call-refused.ts'
import * as commands from './commands.ts'

type Action = CheckedArgs<'actOnPaths'>['action']

/** Finds a recording by its whole path, in any spelling. */
const recordingAt = ({ recordings }: Journal, path: string): Recording | undefined =>
  recordings.currentByPath(path) ?? recordings.otherSpellings(path)[0]

const requireRecording = (journal: Journal, path: string): Recording => {
  const recording = recordingAt(journal, path)
  if (recording === undefined) throw new CallRefusedError(`The journal has no recording ${path}.`)
  return recording
}

/**
 * The current recording at this path, and older recordings at this path that still have a problem. If there are none,
 * returns the files of the take at this path.
 */
const recordingsAt = (journal: Journal, path: string): readonly Recording[] => {
  const current = recordingAt(journal, path)
  const superseded = journal.views.supersededWithProblem(path)
  const found = current === undefined ? superseded : [...superseded, current]
  const recordings = found.length === 0 ? journal.takes.named(path) : found
  if (recordings.length === 0) throw new CallRefusedError(`The journal has no recording ${path}.`)
  return recordings
}

/** The recordings that the action applies to if the command names no path. */
const recordingsFor = (journal: Journal, action: Action): readonly Recording[] => {
  switch (action) {
    case 'dismiss': {
      // One recording may have both a problem and a report.
      const problemIds = journal.views.withProblem().map(({ id }) => id)
      const ids = new Set([...problemIds, ...journal.inspections.idsToCheck()])
      return [...ids].flatMap((id) => journal.recordings.byId(id) ?? [])
    }
    case 'undo-dismissal':
      return journal.activity.dismissedIds().flatMap((id) => journal.recordings.byId(id) ?? [])
    case 'retry':
    case 'prioritise':
      throw new CallRefusedError('Name the path of a recording.')
  }
}

/**
 * Applies the action, and returns whether it changed the recording. Throws if the recording cannot be retried or
 * prioritised.
 */
const applyAction = (
  journal: Journal,
  action: Action,
  recording: Recording,
  isDecided: (recording: Recording) => boolean,
): boolean => {
  switch (action) {
    case 'retry': {
      const obstacle = commands.findRetryObstacle(recording)
      if (obstacle !== null) throw new CallRefusedError(`${recording.path} cannot be retried: ${obstacle}.`)
      if (!isDecided(recording)) commands.retry(journal, recording)
      return true
    }
    case 'prioritise':
      if (!needsFile(recording.state))
        throw new CallRefusedError(`${recording.path} is not waiting to be uploaded.`)
      return commands.setPrioritised(journal, recording, true)
    case 'dismiss': {
      const wasToCheck = journal.inspections.dismiss(recording.id)
      // When a dismissed take gets a new file, Sluice reports the take again. Dismissing the take again must dismiss
      // the new file too.
      const isHeldAgain = wasToCheck && recording.problem?.code === 'take-held'
      if (!isHeldAgain && !actionApplies('dismiss', recording)) return wasToCheck
      if (!isDecided(recording)) commands.dismiss(journal, recording)
      return true
    }
    case 'undo-dismissal':
      return commands.undoDismissal(journal, recording)
  }
}

/**
 * Whether this command has already decided about the recording: a decision about one file of a held take applies to all
 * its held files.
 */
const wasDecided = ({ recordings }: Journal, { id, problem }: Recording): boolean =>
  recordings.byId(id)?.problem?.endsBy !== problem?.endsBy

const rowsOf = (recordings: readonly Recording[]): PathOutcome['done'] =>
  recordings.map(({ path, sessionId }) => ({ path, sessionId }))

const targetsOf = (journal: Journal, action: Action, path: string): readonly Recording[] => {
  if (action !== 'retry' && action !== 'prioritise') return recordingsAt(journal, path)
  const filesOfTake = recordingAt(journal, path) === undefined ? journal.takes.named(path) : []
  if (filesOfTake.length === 0) return [requireRecording(journal, path)]
  // A user who names a held take has decided to upload its held files too.
  return filesOfTake.filter((file) =>
    action === 'retry'
      ? mayRetryWithTake(file) || (file.problem?.code === 'take-held' && !isOnPurpose(file.problem))
      : isUnsent(file.state),
  )
}

/**
 * Applies an action to recordings or takes, each named by its whole path. Without paths, `dismiss` and `undo-dismissal`
 * apply to every recording they can change. If no agent runs, the `sluice` command calls this function itself.
 */
export const actOnPaths = (journal: Journal, { action, paths }: CheckedArgs<'actOnPaths'>): PathOutcome =>
  // Use one transaction, because an agent may start between the read and the write of the command.
  journal.transaction(() => {
    const isDecided = commands.trackDecidedTakes()
    const apply = (recording: Recording) =>
      wasDecided(journal, recording) || applyAction(journal, action, recording, isDecided)
    if (paths.length === 0) return { done: rowsOf(recordingsFor(journal, action).filter(apply)), refused: [] }
    // Find all recordings first: an action on one file of a held take also changes the other files.
    const targets = paths.map((path) => ({ path, recordings: targetsOf(journal, action, path) }))
    const outcomes = targets.map(({ path, recordings }) => ({ path, changed: recordings.filter(apply) }))
    return {
      done: outcomes.flatMap(({ path, changed }) =>
        // `retry` and `prioritise` return each file, with its path as the journal spells it. The other actions return
        // the path of the request.
        action === 'retry' || action === 'prioritise'
          ? rowsOf(changed)
          : changed.slice(-1).map(({ sessionId }) => ({ path, sessionId })),
      ),
      refused: outcomes.filter(({ changed }) => changed.length === 0).map(({ path }) => path),
    }
  })

/**
 * Replaces processed recordings whose files were edited in place, so that the next scan finds the files as new. Keeps
 * the old sessions, because they are complete.
 */
export const replaceEdited = (
  { recordings }: Pick<Journal, 'recordings'>,
  files: CheckedArgs<'replaceEdited'>,
): readonly Recording[] =>
  files.flatMap(({ path, sha256 }) => {
    const current = recordings.currentByPath(path)
    return current === null ? [] : (recordings.supersedeEdited(current.id, sha256) ?? [])
  })

/** Applies or undoes `uploadNow` for the recordings at these paths. Without paths, for the whole station. */
export const uploadPathsNow = (
  journal: Journal,
  { isOn, paths }: CheckedArgs<'uploadPathsNow'>,
  nowMs: number,
): UploadNowOutcome =>
  journal.transaction(() => {
    const targets = paths.length === 0 ? [null] : paths.map((path) => requireRecording(journal, path))
    if (!isOn) {
      const cancelled = targets.filter((recording) => commands.cancelUploadNow(journal, recording))
      return { changed: cancelled.length > 0, until: null }
    }
    const outlook = journal.station.outlook()
    if (outlook === null)
      throw new CallRefusedError('No agent has run here yet, so the upload hours are unknown.')
    const [untilMs = null] = targets.map((recording) =>
      commands.uploadNow(journal, outlook.transfer, recording, nowMs),
    )
    return { changed: true, until: untilMs === null ? null : new Date(untilMs).toISOString() }
  })

import type { Paths } from '../../../../shared/paths/paths.ts'
import type { FolderSettings } from '../../../../shared/settings/settings.ts'
import { isMtimeAhead, mtimeMsOf, sameExceptCtime, sameFile } from '../../domain/file-identity.ts'
import { noHold } from '../../domain/problems.ts'
import { needsFile } from '../../domain/states.ts'
import type { Journal, Recording } from '../../journal/journal.ts'
import type { Clock } from '../../ports/clock.ts'
import type { FoundFile } from '../../ports/folders.ts'
import { isStillDismissed } from '../../stage/held-takes.ts'
import type { ScannedFile } from './match-scanned-files.ts'

type World = {
  readonly journal: Journal
  readonly paths: Paths
  readonly folder: FolderSettings
  readonly clock: Pick<Clock, 'wallMs'>
  /**
   * When Sluice first listed the folder completely; null before that. Files from before this time may have a session.
   */
  readonly listedAtMs: number | null
  /**
   * When this run's first complete scan of the folder began; infinity until that scan ends. If the journal was rolled
   * back, files from before this time may have a session.
   */
  readonly firstScanAtMs: number
}

/**
 * Updates the recording of a scanned file. Returns true for a new file, but not for new content of a known file. Adds
 * up the bytes of processed files by service.
 */
export const observeFile = (
  { file, otherSpelling, movedFrom, isBack }: ScannedFile,
  processed: Map<string, number>,
  world: World,
): boolean => {
  const { recordings } = world.journal
  // Read the recording again: since the match, a new recording may have replaced it.
  const known = recordings.currentByPath(otherSpelling?.path ?? file.path)
  if (known !== null && known.removedAtMs !== null) {
    // The scan may have listed the file before Sluice removed it.
    if (!isBack) return false
    // The file appeared after the removal, so it is a new recording.
    recordings.supersede(known.id)
    addRecording(file, world)
    return true
  }
  if (known !== null) {
    if (!sameFile(known.identity, file.identity) || known.state === 'gone') onChanged(known, file, world)
    else if (known.state === 'processed' && known.problem === null && known.service !== null)
      processed.set(known.service, (processed.get(known.service) ?? 0) + file.identity.sizeBytes)
    return false
  }
  // Read the recording again: the watcher of the old folder may have marked it as vanished meanwhile.
  const moved = movedFrom === null ? null : recordings.byId(movedFrom.id)
  if (moved !== null && movedFrom !== null && world.paths.same(moved.path, movedFrom.path)) {
    onMoved(moved, file, world)
    return false
  }
  addRecording(file, world)
  return true
}

const addRecording = (file: FoundFile, world: World): void =>
  void world.journal.recordings.add(file, world.folder, { findSessionFirst: mayHaveSession(file, world) })

const mayHaveSession = ({ identity }: FoundFile, { listedAtMs, firstScanAtMs, clock }: World): boolean =>
  listedAtMs === null ||
  mtimeMsOf(identity) < Math.max(listedAtMs, firstScanAtMs) ||
  isMtimeAhead(identity, clock.wallMs())

const onMoved = (recording: Recording, file: FoundFile, world: World): void => {
  const { recordings } = world.journal
  recordings.move(recording, file, world.folder)
  if (recording.state === 'gone') onReturned(recording, file, world)
  // The file was renamed and also changed.
  else if (!sameExceptCtime(recording.identity, file.identity)) onChanged(recording, file, world)
  // The new name or folder may fix the problem, so retry.
  else {
    const { code, endsBy } = recording.problem ?? {}
    if (endsBy === 'file' || endsBy === 'folder' || code === 'placeholder-unfilled')
      recordings.patch(recording.id, noHold)
  }
}

/** A dismissed file that returns with the same content stays dismissed. */
const onReturned = (gone: Recording, file: FoundFile, { journal }: World): void => {
  const { recordings, inspections } = journal
  const { id, problem, nextAttemptAtMs } = gone
  const note = { reason: 'the file is back', patch: { identity: file.identity } }
  recordings.transition(id, 'gone', { kind: 'reappeared' }, note)
  if (!isStillDismissed(gone, file.identity)) return
  recordings.transition(id, 'growing', { kind: 'settled' }, { reason: 'unchanged and still dismissed' })
  recordings.patch(id, { problem, nextAttemptAtMs })
  // Sluice inspects the file again, but does not report it again.
  inspections.dismissHeld(id)
}

const onChanged = (known: Recording, file: FoundFile, world: World): void => {
  const { recordings } = world.journal
  const patch = { identity: file.identity }
  if (known.state === 'gone') {
    onReturned(known, file, world)
    return
  }
  if (known.state === 'growing') {
    // A rolled-back journal may show an uploaded file as growing.
    const findSessionFirst = known.findSessionFirst || mayHaveSession(file, world)
    recordings.patch(known.id, { ...patch, ...noHold, findSessionFirst })
    return
  }
  // The hasher notices the change itself. It also decides whether the opener must search for a session.
  if (known.state === 'hashing') return
  if (isStillDismissed(known, file.identity)) {
    recordings.patch(known.id, patch)
    return
  }
  if (needsFile(known.state)) {
    // A rolled-back journal may not know that the new content is already uploaded.
    const findSessionFirst = known.findSessionFirst || mayHaveSession(file, world)
    const note = { reason: 'the file changed', patch: { ...patch, findSessionFirst } }
    recordings.transition(known.id, known.state, { kind: 'changed' }, note)
    return
  }
  // A copy tool or a permission change altered only the ctime of an uploaded file. The content is the same.
  if (sameExceptCtime(known.identity, file.identity)) {
    recordings.patch(known.id, patch)
    return
  }
  recordings.supersede(known.id)
  addRecording(file, world)
}

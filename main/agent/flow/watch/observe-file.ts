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
  /** When the folder was first listed completely; null before that. An older file may already have a session. */
  readonly listedAtMs: number | null
  /**
   * When the agent's first complete scan of the folder since its start began; infinity until that scan is over. If the
   * journal was rolled back, an older file may have a session.
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
  // Read again: new content may have replaced the recording since the match.
  const known = recordings.currentByPath(otherSpelling?.path ?? file.path)
  if (known !== null && known.removedAtMs !== null) {
    // Nothing shows that the file still exists: the scan may have listed it before Sluice removed it.
    if (!isBack) return false
    // The file appeared after the removal, so it is a new recording. Only its hash can show whether its content is that
    // of the removed file.
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
  // Read again: the watcher of the old folder may have marked the recording as vanished meanwhile.
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

/** A file that was dismissed while it was held, and returns with the same content, stays dismissed. */
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
    // A rolled-back journal may show a file as growing although it has been finished and uploaded since.
    const findSessionFirst = known.findSessionFirst || mayHaveSession(file, world)
    recordings.patch(known.id, { ...patch, ...noHold, findSessionFirst })
    return
  }
  // The hasher notices the change itself, and the recording becomes `growing` again. If the new digest differs from an
  // earlier stored digest, the opener searches for a session of the new content.
  if (known.state === 'hashing') return
  if (isStillDismissed(known, file.identity)) {
    recordings.patch(known.id, patch)
    return
  }
  if (needsFile(known.state)) {
    // A rolled-back journal may show an old content as unfinished although the new content has been uploaded since.
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

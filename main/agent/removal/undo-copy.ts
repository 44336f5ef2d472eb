import { mayBeSameInode, sameFile } from '../domain/file-identity.ts'
import { removalNameFor } from '../domain/removal-name.ts'
import type { Removal } from '../journal/journal.ts'
import type { StageWorld } from '../stage/stage.ts'
import { contentMismatch } from './content-mismatch.ts'
import { archiveIsThere } from './leftover-copies.ts'
import { recoverRemoval } from './recover-removals.ts'
import { replaceEdited } from './replace-edited.ts'
import { type RemovalWorld, restoreHiddenFile } from './restore-hidden-file.ts'

/**
 * Hard case: The rules change after a file is copied to the archive, and before the original is removed.
 * Sluice removes the copy if Sluice made it and the original file still exists.
 */

type World = RemovalWorld & Pick<StageWorld, 'hashing' | 'newKey' | 'guard'>

/**
 * Removes a finished copy after the rules have changed, if the original still exists and both have the uploaded
 * content. Otherwise, Sluice keeps the copy: it may be the only file with this content, or a file of someone else.
 * `over`: nothing more to do now. `unreadable`: Sluice cannot read the copy or the original now.
 */
export const undoCopy = async (
  world: World,
  removal: Removal,
  signal: AbortSignal,
): Promise<'over' | 'unreadable'> => {
  const { journal, files, operations, paths, newKey, log, folderAccess } = world
  const { recordingId, target, removalName, early } = removal
  const recording = journal.recordings.byId(recordingId)
  if (recording === null || target === null) return 'over'
  const keepCopy = (why: string) => {
    log.warn('kept a copy in the old target folder', { target, why })
    journal.removals.forgetCopy(recordingId)
    return 'over' as const
  }
  const archived = removal.copy === null ? null : journal.removals.copies.of(removal.copy)
  if (archived === null) return keepCopy('its folder is no longer known')
  // If the archive is missing, its drive may be disconnected. A later step tries again.
  if (!(await archiveIsThere(world, archived))) return 'over'
  if ((await files.presence(target)) === 'replaced') return keepCopy('a link or a folder is at its path')
  const readOptions = { signal, mustYield: () => false }
  for (const file of [
    { path: recording.path, is: 'source' },
    { path: target, is: 'copy' },
  ] as const) {
    const objection = await contentMismatch(world, recording, file, readOptions)
    if (objection === 'interrupted') return 'over'
    if (objection === 'file-refused') return 'unreadable'
    if (objection === 'edited' && file.is === 'source') replaceEdited(world, recording)
    if (objection !== null) return keepCopy(objection)
  }
  const [copyIdentity, originalIdentity] = [
    await files.identify(target),
    await files.identify(recording.path),
  ]
  if (!copyIdentity.ok || mayBeSameInode(copyIdentity.value, recording.identity)) return 'over'
  if (!originalIdentity.ok || !sameFile(originalIdentity.value, recording.identity)) return 'over'
  const volume = await folderAccess.volumeOf(archived.archive.folder)
  if (volume === null) return 'over'
  const copy = paths.join(paths.resolve(target, '..'), removalNameFor(newKey(), paths.nameOf(target)))
  const archive = { folder: archived.archive.folder, volume }
  // Store the hidden name first, so that the copy gets its final name back after a crash.
  journal.removals.intend(recording, { action: 'move', target, copy, archive, removalName, early })
  const renamed = await operations.hide(target, copy, copyIdentity.value)
  if (renamed.kind === 'done') {
    // A process that had the copy open before the rename may have changed it, so check its writers and content again.
    const inspected = await files.inspect(copy, 'at-removal')
    const isFree = inspected.ok && inspected.value.writer !== 'open'
    const isOurs =
      isFree && (await contentMismatch(world, recording, { path: copy, is: 'copy' }, readOptions)) === null
    // The copy may have taken minutes to read, so the original may be gone by now.
    const originalNow = await files.identify(recording.path)
    const isSpare = isOurs && originalNow.ok && sameFile(originalNow.value, recording.identity)
    if (!isSpare || (await operations.remove(copy, renamed.identity)).kind !== 'done')
      await restoreHiddenFile(world, target, copy)
  }
  const pendingRemoval = journal.removals.of(recordingId)
  if (pendingRemoval === null || !(await recoverRemoval(world, pendingRemoval))) return 'over'
  if (!['file', 'unknown'].includes(await files.presence(target))) journal.removals.forgetCopy(recordingId)
  return 'over'
}

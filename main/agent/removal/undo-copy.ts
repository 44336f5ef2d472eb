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
 * Hard case: The rules change after Sluice copied a file to the archive, and before it removed the original.
 * Sluice removes the copy if Sluice made it and the original file still exists.
 */

type World = RemovalWorld & Pick<StageWorld, 'hashing' | 'newKey' | 'guard'>

/**
 * Removes a finished copy after the rules changed, if the original was not removed yet. The new rules then apply to the
 * original alone. The copy must be in the journal, the original must exist, and both must have the uploaded content. If
 * a check fails, Sluice keeps the copy: it may be a file of someone else, or the only file with the uploaded content.
 * `over`: nothing more to do in this step. `unreadable`: the copy or the original cannot be read now.
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
  // If the archive folder is missing, Sluice assumes that its drive is offline. A later step tries again.
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
  // The journal stores the hidden name first. After a crash, the next start gives the copy its final name back.
  journal.removals.intend(recording, { action: 'move', target, copy, archive, removalName, early })
  const renamed = await operations.hide(target, copy, copyIdentity.value)
  if (renamed.kind === 'done') {
    // A process that had the copy open before the rename may have changed it and set its times back. So Sluice keeps
    // the copy if a process still has it open, or if its content differs now.
    const inspected = await files.inspect(copy, 'at-removal')
    const isFree = inspected.ok && inspected.value.writer !== 'open'
    const isOurs =
      isFree && (await contentMismatch(world, recording, { path: copy, is: 'copy' }, readOptions)) === null
    // Reading a large copy takes minutes, so the original may be gone by now.
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

import { asideName } from '../domain/aside-name.ts'
import { sameFile, sameInode } from '../domain/file-identity.ts'
import type { Removal } from '../journal/journal.ts'
import type { StageWorld } from '../stage/stage.ts'
import { contentObjection } from './content-mismatch.ts'
import { archiveIsThere } from './leftover-copies.ts'
import { putRight } from './recover-removals.ts'
import { putBack, type RemovalWorld } from './restore-hidden-file.ts'

type World = RemovalWorld & Pick<StageWorld, 'hashing' | 'newKey' | 'guard'>

/**
 * A copy has its place where files were moved to, its file has not left yet, and the rules say something else now: the
 * copy goes, and the rules of now begin with the file alone. It is ours by the journal's word, and goes only while the
 * file is here and both hold the same bytes; whatever else is found at its place is somebody's own and stays.
 */
export const undoCopy = async (world: World, removal: Removal, signal: AbortSignal): Promise<void> => {
  const { journal, files, acts, paths, newKey, log, eyes } = world
  const { recordingId, target, aside, early } = removal
  const recording = journal.recordings.byId(recordingId)
  if (recording === null || target === null) return
  const stays = (why: string) => {
    log.warn('a copy stays where files were moved to before', { target, why })
    journal.removals.forgetCopy(recordingId)
  }
  const made = removal.copy === null ? null : journal.removals.copies.of(removal.copy)
  if (made === null) return stays('its folder is not known any more')
  // Missing means offline: the copy is looked for again when its drive is back.
  if (!(await archiveIsThere(world, made))) return
  const given = { signal, givesWay: () => false }
  for (const what of [
    { path: recording.path, is: 'source' },
    { path: target, is: 'copy' },
  ] as const) {
    const objection = await contentObjection(world, recording, what, given)
    if (objection === 'interrupted') return
    if (objection !== null) return stays(objection)
  }
  const [found, here] = [await files.identify(target), await files.identify(recording.path)]
  if (!found.ok || sameInode(found.value, recording.identity)) return
  if (!here.ok || !sameFile(here.value, recording.identity)) return
  const volume = await eyes.volumeOf(made.archive.folder)
  if (volume === null) return
  const copy = paths.join(paths.resolve(target, '..'), asideName(newKey(), paths.nameOf(target)))
  const archive = { folder: made.archive.folder, volume }
  // As with a copy that was never placed: a kill from here on leaves what the next start removes.
  journal.removals.intend(recording, { action: 'move', target, copy, archive, aside, early })
  const set = await acts.setAside(target, copy, found.value)
  if (set.kind === 'done') {
    // Whoever had it open before it was renamed may have written to it since: then it is theirs.
    const seen = await files.inspect(copy, 'anew')
    const isOurs = seen.ok && seen.value.writer !== 'open'
    if (!isOurs || (await acts.remove(copy, set.identity)).kind !== 'done') await putBack(world, target, copy)
  }
  const left = journal.removals.of(recordingId)
  if (left === null || !(await putRight(world, left))) return
  if (!(await files.exists(target))) journal.removals.forgetCopy(recordingId)
}

import { movedFile, sameInode } from '../domain/file-identity.ts'
import { numbered } from '../domain/keeping.ts'
import type { Removal } from '../journal/journal.ts'
import type { StageWorld } from './stage.ts'

const MOST_NAMES = 1_000

export type RemovalWorld = Pick<
  StageWorld,
  'journal' | 'files' | 'acts' | 'eyes' | 'paths' | 'clock' | 'log' | 'rescan'
>

/** The folder itself, and not an empty one at the place where its drive is mounted. */
export const folderIsThere = async (
  { journal, eyes }: Pick<RemovalWorld, 'journal' | 'eyes'>,
  folder: string,
): Promise<boolean> => {
  const known = journal.station.volumeOf(folder)
  const now = await eyes.volumeOf(folder)
  return known !== null && now !== null && known.inode === now.inode && known.device === now.device
}

const identityAt = async ({ files }: Pick<RemovalWorld, 'files'>, path: string | null) => {
  const found = path === null ? null : await files.identify(path)
  return found?.ok ? found.value : null
}

/** Back to where it was; beside it where something new has its name. Then it is found and known by its content. */
export const putBack = async (
  { acts, log }: Pick<RemovalWorld, 'acts' | 'log'>,
  path: string,
  aside: string,
): Promise<{ readonly path: string } | 'vanished' | 'refused'> => {
  for (let attempt = 1; attempt <= MOST_NAMES; attempt += 1) {
    const name = numbered(path, attempt)
    const acted = await acts.place(aside, name)
    if (acted.kind === 'done') return { path: name }
    if (acted.kind === 'taken') continue
    if (acted.kind === 'vanished') return 'vanished'
    log.warn('a recording that was set aside could not be put back', { aside, path, why: acted.kind })
    return 'refused'
  }
  return 'refused'
}

/**
 * Whatever was left in the middle, by a kill, a full disk or a refusal: what is on the drive is looked at, and the
 * removal is either over, which is then noted, or undone. True when nothing is in the middle any more.
 */
export const putRight = async (world: RemovalWorld, removal: Removal): Promise<boolean> => {
  const { journal, acts, rescan } = world
  const recording = journal.recordings.byId(removal.recordingId)
  if (recording === null) return true
  // Missing means offline: what is not seen now is not gone.
  if (!(await folderIsThere(world, recording.folder))) return false
  const { aside, target, copy, step, placed } = removal
  const [there, here] = [await identityAt(world, aside), await identityAt(world, recording.path)]
  // A copy that had its place already goes only beside its file. One that cannot go now is tried again.
  let isCleared = true
  if (copy !== null && target !== null && step === 'intended') {
    const isNeeded = placed && here === null && there === null
    const cleared = await (isNeeded ? acts.place(copy, target) : acts.remove(copy))
    // A drive that is full can refuse that too, where it writes before it frees.
    isCleared = cleared.kind !== 'refused' && cleared.kind !== 'full'
  }
  const moved = await identityAt(world, target)
  const over = () => {
    journal.removals.finish(recording, removal)
    rescan(recording.folder)
    return true
  }
  const undone = () => {
    rescan(recording.folder)
    if (isCleared) journal.removals.settle(recording.id)
    return isCleared
  }
  if (there !== null) {
    // Both names of one file: what was under way was done, but for the old name.
    if (moved !== null && sameInode(moved, there)) {
      return (await acts.remove(aside)).kind === 'done' ? over() : false
    }
    if (here !== null && sameInode(here, there))
      return (await acts.remove(aside)).kind === 'done' ? undone() : false
    if ((await putBack(world, recording.path, aside)) === 'refused') return false
    // Our own renaming changed its last time and nothing else.
    const back = await identityAt(world, recording.path)
    if (back !== null && movedFile(back, recording.identity))
      journal.recordings.patch(recording.id, { identity: back })
    return undone()
  }
  // A drive that cannot be read at the moment tells nothing either.
  if (await world.files.exists(aside)) return false
  if (step !== 'aside') return undone()
  // A power cut can take the rename back that the journal already knows of.
  if (here !== null && movedFile(here, recording.identity)) return undone()
  if (removal.action === 'delete' || copy !== null) return over()
  if (moved !== null && movedFile(moved, recording.identity)) return over()
  return target !== null && (await world.files.exists(target)) && moved === null ? false : undone()
}

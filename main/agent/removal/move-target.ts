import { isSameDrive, movedPath, type Wait } from '../domain/keeping.ts'
import type { StageWorld } from '../stage/stage.ts'

const MOST_NAMES = 1_000

type World = Pick<StageWorld, 'journal' | 'acts' | 'eyes' | 'files' | 'paths' | 'settings'>

/**
 * The drive that was there when the rule was first carried out, as with watched folders. What a drive that is away leaves
 * at its place is a folder of the drive below, which a night's recordings would fill.
 */
const driveObjection = async ({ journal, eyes, paths }: World, to: string): Promise<Wait | null> => {
  const now = await eyes.volumeOf(to)
  if (now === null) return 'target-missing'
  const known = journal.station.targetVolume(to)
  if (known?.device === now.device && known.inode === now.inode) return null
  if (known !== null && !isSameDrive(known, now)) {
    // Unless it is the other way round: first the folder of the drive below was seen, and now a drive is there.
    const below = await eyes.volumeOf(paths.resolve(to, '..'))
    if (below === null || below.device !== known.device || below.device === now.device)
      return 'target-replaced'
  }
  journal.station.setTargetVolume(to, now)
  return null
}

/** Never into a watched folder, whatever links lead there; and the folder itself is never made. */
export const targetObjection = async (world: World, to: string): Promise<Wait | null> => {
  const { acts, paths, settings } = world
  const real = await acts.realFolder(to)
  if (real === null) return 'target-missing'
  for (const { path } of settings()?.folders ?? []) {
    const watched = (await acts.realFolder(path)) ?? path
    if (paths.same(watched, real) || paths.contains(watched, real) || paths.contains(real, watched))
      return 'target-watched'
  }
  return driveObjection(world, to)
}

export const freeName = async (
  { files, paths }: Pick<World, 'files' | 'paths'>,
  file: string,
  folder: string,
  to: string,
): Promise<string | null> => {
  for (let attempt = 1; attempt <= MOST_NAMES; attempt += 1) {
    const name = movedPath(paths, folder, to, file, attempt)
    if (name === null) return null
    if (!(await files.exists(name))) return name
  }
  return null
}

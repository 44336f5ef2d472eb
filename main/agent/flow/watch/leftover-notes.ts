import type { Paths } from '../../../../shared/paths/paths.ts'
import type { FolderSettings } from '../../../../shared/settings/settings.ts'
import { arrivedSince } from '../../domain/arrival.ts'
import { sidecarNames } from '../../domain/naming.ts'
import type { Journal } from '../../journal/journal.ts'
import type { FoundFile } from '../../ports/folders.ts'

type World = {
  readonly journal: Pick<Journal, 'recordings'>
  readonly paths: Paths
  readonly folder: Pick<FolderSettings, 'notes_sidecar'>
}

/**
 * Whether the file holds the notes of a recording that Sluice removed or is removing. Sluice has already sent these
 * notes, so the file becomes a recording only if it changed after the removal.
 */
export const isLeftoverNotes = (
  { path, identity }: FoundFile,
  { journal, paths, folder: { notes_sidecar: suffix } }: World,
): boolean => {
  const name = paths.nameOf(path)
  if (suffix === undefined || !name.endsWith(suffix)) return false
  const parent = paths.resolve(path, '..')
  return journal.recordings
    .removedFrom(paths.join(parent, name.slice(0, -suffix.length)))
    .some(
      (removed) =>
        paths.same(paths.resolve(removed.path, '..'), parent) &&
        sidecarNames(removed.name, suffix).includes(name) &&
        (removed.removedAtMs === null || !arrivedSince(identity, removed.removedAtMs)),
    )
}

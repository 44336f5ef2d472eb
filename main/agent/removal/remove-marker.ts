import type { FolderSettings } from '../../../shared/settings/settings.ts'
import type { FileIdentity } from '../domain/file-identity.ts'
import { isMarkerOf } from '../domain/marker-file.ts'
import type { Recording } from '../journal/journal.ts'
import type { StageWorld } from '../stage/stage.ts'

/** A larger file has content of its own, which deleting it would lose: Sluice does not upload markers. */
const MAX_MARKER_BYTES = 65_536

type World = Pick<StageWorld, 'files' | 'operations'>

export type Marker = {
  readonly path: string
  readonly suffix: string
  readonly identity: FileIdentity
}

/**
 * The marker of the recording. Call this before the recording is renamed, because a new recording with its own marker
 * may then take the path.
 */
export const findMarker = async (
  { files }: Pick<World, 'files'>,
  { path, identity }: Pick<Recording, 'path' | 'identity'>,
  { marker_suffix: suffix }: Pick<FolderSettings, 'marker_suffix'>,
): Promise<Marker | null> => {
  if (suffix === undefined) return null
  const found = await files.identify(path + suffix)
  if (!found.ok || found.value.sizeBytes > MAX_MARKER_BYTES || !isMarkerOf(found.value, identity)) return null
  return { path: path + suffix, suffix, identity: found.value }
}

/**
 * Deletes the marker of a deleted recording, or moves the marker beside the moved recording. After a crash, the marker
 * may stay. It does not count for a later file of that name, because it is older.
 */
export const removeMarker = async (
  { operations }: Pick<World, 'operations'>,
  { path, suffix, identity }: Marker,
  movedTo: string | null,
  signal: AbortSignal,
): Promise<void> => {
  if (movedTo !== null) {
    const target = movedTo + suffix
    const placed = await operations.place(path, target, identity)
    if (placed.kind !== 'other-drive') return
    if ((await operations.copy(path, target, identity, signal)).kind !== 'done') return
  }
  await operations.remove(path, identity)
}

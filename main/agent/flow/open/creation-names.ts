import type { FolderSettings } from '../../../../shared/settings/settings.ts'
import { done, type Outcome } from '../../domain/failure.ts'
import { type Names, namesOf, placeholderValues, sidecarNames } from '../../domain/naming.ts'
import type { Recording } from '../../journal/journal.ts'
import type { StageWorld } from '../../stage/stage.ts'
import { wasRefused } from './creation-request.ts'

const MOST_SIDECAR_BYTES = 65_536

/** What was refused is asked again with the settings of now; what was not keeps those it was recorded under. */
const wantedNames = (recording: Recording, folder: FolderSettings | undefined): Names => {
  const { site, device } =
    folder !== undefined && wasRefused(recording)
      ? { site: folder.site, device: folder.device ?? null }
      : recording
  return { site, device, notes: folder?.notes ?? null }
}

/** Site, device and notes as they are sent: with what is only known of this recording, and the notes beside it. */
export const namesSent = async (
  recording: Recording,
  folder: FolderSettings | undefined,
  { files, hostName, paths }: Pick<StageWorld, 'files' | 'hostName' | 'paths'>,
): Promise<ReturnType<typeof namesOf>> => {
  const besides = await notesBeside(recording, folder?.notes_sidecar, files)
  if (!besides.ok) return besides
  const values = placeholderValues(recording, hostName, paths)
  return namesOf(wantedNames(recording, folder), values, besides.value)
}

const notesBeside = async (
  recording: Recording,
  suffix: string | undefined,
  files: Pick<StageWorld['files'], 'readText'>,
): Promise<Outcome<string | null>> => {
  if (suffix === undefined) return done(null)
  const folder = recording.path.slice(0, -recording.name.length)
  for (const name of sidecarNames(recording.name, suffix)) {
    const read = await files.readText(`${folder}${name}`, MOST_SIDECAR_BYTES)
    if (!read.ok || read.value !== null) return read
  }
  return done(null)
}

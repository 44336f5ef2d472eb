import type { FolderSettings } from '../../../../shared/settings/settings.ts'
import { done, type Outcome } from '../../domain/failure.ts'
import { fillLabels, placeholderValues, type SessionLabels, sidecarNames } from '../../domain/naming.ts'
import { type TakeFiles, takeName } from '../../domain/takes.ts'
import type { Recording } from '../../journal/journal.ts'
import type { StageWorld } from '../../stage/stage.ts'
import { wasRefused } from './creation-request.ts'

const MAX_SIDECAR_BYTES = 65_536
/** The notes have no space for more names. */
const MAX_TAKE_FILES = 1_000

/**
 * If the service refused the last request of a recording, the next request has the site and device of the current
 * settings. Other recordings keep the site and device that Sluice stored when it found the file, or when the file moved
 * to a different folder. The notes are always those of the current settings.
 */
const labelTemplates = (recording: Recording, folder: FolderSettings | undefined): SessionLabels => {
  const { site, device } =
    folder !== undefined && wasRefused(recording)
      ? { site: folder.site, device: folder.device ?? null }
      : recording
  return { site, device, notes: folder?.notes ?? null }
}

/** Site, device and notes for the request, with placeholders filled in and notes from the sidecar file. */
export const resolveLabels = async (
  recording: Recording,
  folder: FolderSettings | undefined,
  { files, hostName, paths, journal }: Pick<StageWorld, 'files' | 'hostName' | 'paths' | 'journal'>,
): Promise<ReturnType<typeof fillLabels>> => {
  const sidecarNotes = await readSidecarNotes(recording, folder?.notes_sidecar, files)
  if (!sidecarNotes.ok) return sidecarNotes
  const values = placeholderValues(recording, hostName, paths)
  const take = recording.take === null ? null : takeFiles(recording.take, journal, paths)
  return fillLabels(labelTemplates(recording, folder), values, sidecarNotes.value, take)
}

const takeFiles = (take: string, { takes }: StageWorld['journal'], paths: StageWorld['paths']): TakeFiles => {
  const { paths: files, count } = takes.files(take, MAX_TAKE_FILES)
  const members = files.map((file) => paths.nameInside(take, file) ?? paths.nameOf(file))
  return { name: takeName(take, paths), count, members }
}

const readSidecarNotes = async (
  recording: Recording,
  suffix: string | undefined,
  files: Pick<StageWorld['files'], 'readText'>,
): Promise<Outcome<string | null>> => {
  if (suffix === undefined) return done(null)
  const folder = recording.path.slice(0, -recording.name.length)
  for (const name of sidecarNames(recording.name, suffix)) {
    const read = await files.readText(`${folder}${name}`, MAX_SIDECAR_BYTES)
    if (!read.ok || read.value !== null) return read
  }
  return done(null)
}

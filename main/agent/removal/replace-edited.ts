import type { Recording } from '../journal/journal.ts'
import type { RemovalWorld } from './restore-hidden-file.ts'

/**
 * Supersedes the recording of a file that was edited after its upload, so that Sluice uploads the file as a new
 * recording. The old session stays, because it is complete.
 */
export const replaceEdited = (
  { journal, rescan }: Pick<RemovalWorld, 'journal' | 'rescan'>,
  recording: Recording,
): void => {
  journal.transaction(() => {
    journal.removals.wait(recording, 'file-changed')
    journal.recordings.supersedeEdited(recording.id, recording.sha256)
  })
  rescan(recording.folder)
}

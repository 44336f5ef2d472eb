import type { Paths } from '../../../shared/paths/paths.ts'
import type { FolderSettings } from '../../../shared/settings/settings.ts'
import { isDismissedTake, isIgnored, NEVER_MS, noHold, problemOf } from '../domain/problems.ts'
import type { Journal, Recording } from '../journal/journal.ts'

/**
 * Hard case: A folder is removed from the settings.
 * A recording whose upload has not started waits until the folder is added again. Started uploads continue. If a
 * different watched folder contains the file, the recording belongs to that folder.
 */

/**
 * Handles the unfinished recordings of folders that an administrator removed from the settings. A recording that may
 * have a session continues. Others wait, because the administrator may want to keep these files on this PC. The wait
 * ends if the folder comes back, or if a different watched folder contains the file.
 */
export const applyFolders = (journal: Journal, folders: readonly FolderSettings[], paths: Paths): void =>
  journal.transaction(() => {
    const keys = folders.map(({ path }) => paths.key(path))
    for (const recording of journal.work.needingFileOutside(keys)) {
      const folder = innermostFolderOf(recording.path, folders, paths)
      if (folder !== undefined) journal.recordings.assignTo(recording, folder)
    }
    for (const recording of journal.work.unsentOutside(keys)) holdForRemovedFolder(journal, recording)
    for (const recording of journal.work.ofReturnedFolders(keys)) {
      journal.recordings.patch(recording.id, noHold)
      journal.recordings.remark(recording, 'its folder is in the settings again')
    }
  })

/**
 * Lets the recording wait until its folder is in the settings again. A dismissed take and an ignored recording already
 * wait for a user.
 */
export const holdForRemovedFolder = (journal: Journal, recording: Recording): void =>
  journal.transaction(() => {
    if (isDismissedTake(recording) || isIgnored(recording)) return
    if (recording.problem?.code === 'folder-removed' && recording.nextAttemptAtMs === NEVER_MS) return
    journal.recordings.patch(recording.id, {
      problem: problemOf('folder-removed'),
      attempts: 0,
      nextAttemptAtMs: NEVER_MS,
    })
    journal.recordings.remark(recording, 'its folder was removed from the settings')
  })

/**
 * The innermost watched folder that contains this path. Undefined if there is none, or if its settings exclude the
 * path.
 */
const innermostFolderOf = (
  path: string,
  folders: readonly FolderSettings[],
  paths: Paths,
): FolderSettings | undefined =>
  folders
    .filter((folder) => paths.contains(folder.path, path))
    .toSorted((a, b) => b.path.length - a.path.length)
    .slice(0, 1)
    .find((folder) => folder.recursive || paths.same(paths.resolve(path, '..'), folder.path))

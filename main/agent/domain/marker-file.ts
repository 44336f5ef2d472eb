import type { Paths } from '../../../shared/paths/paths.ts'
import type { FileIdentity } from './file-identity.ts'

/**
 * Hard case: A recorder marks each finished file with a second file (`marker_suffix`).
 * The second file is no recording. Scans omit every file with this suffix, even if its recording is gone.
 */

/**
 * Hard case: The marker of an earlier file with the same name still exists.
 * A marker that is older than the last write to the file does not count. The file waits and shows a problem.
 */

export const isMarkerName = (
  { rules }: Pick<Paths, 'rules'>,
  name: string,
  suffix: string | undefined,
): boolean => {
  if (suffix === undefined) return false
  const fold = rules.fold ?? ((text: string) => text)
  return fold(name).endsWith(fold(suffix))
}

/**
 * Whether the marker belongs to the current content of the file: every write makes the file's mtime newer than that of
 * an old marker. The creation time does not help, because overwriting a file keeps it. Both mtimes come from one drive,
 * so FAT rounds them alike. Copying both files with their mtimes keeps the order.
 */
export const isMarkerOf = (
  marker: Pick<FileIdentity, 'mtimeNs'>,
  file: Pick<FileIdentity, 'mtimeNs'>,
): boolean => BigInt(marker.mtimeNs) >= BigInt(file.mtimeNs)

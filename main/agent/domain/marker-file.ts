import type { Paths } from '../../../shared/paths/paths.ts'
import type { FileIdentity } from './file-identity.ts'

/**
 * Hard case: A recorder marks each finished file with a second file (`marker_suffix`).
 * The marker is no recording: scans omit every file that ends with the suffix, even if its recording is gone.
 */

/**
 * Hard case: The marker of an earlier file with the same name still exists.
 * A marker counts only if the recorder wrote it at or after the last write to the file. If it is older, the file waits
 * and shows a problem.
 */

/** Whether a file name ends with the suffix of marker files. */
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
 * Whether the marker belongs to the current content of the file. A write to the file makes its mtime newer than that of
 * an old marker. The file's creation time does not help: it does not change if the recorder overwrites the old file.
 * Both mtimes come from one drive, which rounds them in the same way, so FAT needs no tolerance. If a program copies
 * both files with their mtimes, the comparison still holds, whichever file arrives first.
 */
export const isMarkerOf = (
  marker: Pick<FileIdentity, 'mtimeNs'>,
  file: Pick<FileIdentity, 'mtimeNs'>,
): boolean => BigInt(marker.mtimeNs) >= BigInt(file.mtimeNs)

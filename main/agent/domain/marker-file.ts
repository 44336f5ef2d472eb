import type { Paths } from '../../../shared/paths/paths.ts'
import type { FileIdentity } from './file-identity.ts'

/**
 * Hard case: A recorder marks each finished file with a second file (`marker_suffix`).
 * The marker is no recording: scans omit every file that ends with the suffix, even if its recording is gone.
 */

/**
 * Hard case: The marker of an earlier file with the same name still exists.
 * A marker counts only if the recorder wrote it at or after the last write to the file. If it is older, the file waits and
 * shows a problem.
 */

/** Whether a file has the ending of marker files. */
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
 * Whether the marker belongs to the current content of the file. Every write to the file moves its mtime past that of an
 * old marker. The time of creation does not help: it stays if the recorder overwrites the old file. Both mtimes come from
 * one drive and are rounded in the same way, so FAT needs no tolerance. A copy that keeps the mtimes keeps their order, in
 * whatever order the two files arrive.
 */
export const isMarkerOf = (
  marker: Pick<FileIdentity, 'mtimeNs'>,
  file: Pick<FileIdentity, 'mtimeNs'>,
): boolean => BigInt(marker.mtimeNs) >= BigInt(file.mtimeNs)

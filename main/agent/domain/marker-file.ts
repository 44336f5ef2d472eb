import type { Paths } from '../../../shared/paths/paths.ts'

/**
 * Hard case: A recorder marks each finished file with a second file (`marker_suffix`).
 * The marker is no recording: scans omit every file that ends with the suffix, even if its recording is gone.
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

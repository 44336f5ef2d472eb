import type { Files } from '../../ports/files.ts'

/**
 * Whether the file of a recording is still at its path. A link at the path does not count, because scans follow no
 * links. If the drive does not answer, the file counts as present, because nothing proves that it is missing.
 */
export const isThere = async (files: Files, path: string): Promise<boolean> => {
  const presence = await files.presence(path)
  return presence === 'file' || presence === 'unknown'
}

import type { Files } from '../../ports/files.ts'

/**
 * Whether the file of a recording is still at its path. Scans follow no links, so a file behind a link is not at its
 * path. If the drive does not answer, the file counts as present, because nothing proves that it is missing.
 */
export const isThere = async (files: Files, path: string): Promise<boolean> => {
  const presence = await files.presence(path)
  return presence === 'file' || presence === 'unknown'
}

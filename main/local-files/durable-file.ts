import { closeSync, fsyncSync, openSync } from 'node:fs'
import path from 'node:path'
import { type FileSteps, fileSteps, retryWhileInUse } from './file-in-use.ts'
import { writeAll } from './plain-file.ts'

/** The temporary file, which an interrupted write may leave behind. */
export const temporaryFileOf = (file: string): string => `${file}.new`

/** Writes a file so that after a power cut, either the old or the new content exists, never a partial or empty file. */
export const writeDurably = (
  file: string,
  content: string | Uint8Array,
  steps: FileSteps = fileSteps,
): void => {
  const temporary = temporaryFileOf(file)
  const handle = retryWhileInUse(() => steps.openToWrite(temporary), steps)
  try {
    try {
      writeAll(handle, typeof content === 'string' ? Buffer.from(content, 'utf8') : content)
      fsyncSync(handle)
    } finally {
      closeSync(handle)
    }
    retryWhileInUse(() => steps.rename(temporary, file), steps)
  } catch (error) {
    removeTemporary(temporary, steps)
    throw error
  }
  syncFolder(path.dirname(file))
}

/**
 * Removes the temporary file, because it may hold a key. If Sluice cannot remove it now, the next write overwrites it.
 */
const removeTemporary = (temporary: string, steps: FileSteps): void => {
  try {
    steps.remove(temporary)
  } catch {}
}

/** Makes renames and new files in the folder survive a power cut. */
export const syncFolder = (folder: string): void => {
  // Windows cannot sync a folder; there the file system journals the rename.
  if (process.platform === 'win32') return
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

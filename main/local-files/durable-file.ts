import { closeSync, fsyncSync, openSync } from 'node:fs'
import path from 'node:path'
import { type FileSteps, fileSteps, patiently } from './held-file.ts'
import { writeAll } from './plain-file.ts'

/** What a write that was interrupted may leave behind. */
export const besideOf = (file: string): string => `${file}.new`

/** After a power cut there is the old file or the new one, never half of one and never an empty one. */
export const writeDurably = (
  file: string,
  content: string | Uint8Array,
  steps: FileSteps = fileSteps,
): void => {
  const beside = besideOf(file)
  const handle = patiently(() => steps.openToWrite(beside), steps)
  try {
    try {
      writeAll(handle, typeof content === 'string' ? Buffer.from(content, 'utf8') : content)
      fsyncSync(handle)
    } finally {
      closeSync(handle)
    }
    patiently(() => steps.rename(beside, file), steps)
  } catch (error) {
    forget(beside, steps)
    throw error
  }
  syncFolder(path.dirname(file))
}

/** It may hold a key; what cannot be removed now is written over by the next write. */
const forget = (beside: string, steps: FileSteps): void => {
  try {
    steps.remove(beside)
  } catch {}
}

/** What was renamed or made in it is there after a power cut. */
export const syncFolder = (folder: string): void => {
  // Windows has no handle of a folder to sync; there the rename itself is journaled.
  if (process.platform === 'win32') return
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

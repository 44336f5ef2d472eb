import { closeSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs'
import path from 'node:path'

/** What a write that was interrupted may leave behind. */
export const besideOf = (file: string): string => `${file}.new`

/** After a power cut there is the old file or the new one, never half of one and never an empty one. */
export const writeDurably = (file: string, content: string | Uint8Array): void => {
  const beside = besideOf(file)
  const handle = openSync(beside, 'w', 0o600)
  try {
    const bytes = typeof content === 'string' ? Buffer.from(content, 'utf8') : content
    for (let written = 0; written < bytes.length; ) written += writeSync(handle, bytes, written)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  renameSync(beside, file)
  syncFolder(path.dirname(file))
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

import path from 'node:path'
import { readPlainFile, TooLargeError } from './plain-file.ts'

/**
 * `sluice service` can move a station to a different data folder. It writes a mark file into both folders. The mark in
 * the old folder blocks that folder, also after the move. The mark in the new folder blocks that folder until the move
 * is complete. In a blocked folder, no agent starts and no command changes anything.
 */

/** Exists if the station has left this folder, or is being moved out of it. */
export const movedMark = (dataFolder: string): string => path.join(dataFolder, 'moved.json')
/** Exists while a station is being moved into this folder. */
export const arrivingMark = (dataFolder: string): string => path.join(dataFolder, 'arriving.json')

const MAX_MARK_BYTES = 64 * 1024

/**
 * Returns the other folder of the move from its mark file, or the words “a different folder” if the mark file is
 * damaged. Null if the mark file is missing or cannot be read.
 */
export const readMark = (mark: string): string | null => {
  let text: string
  try {
    text = readPlainFile(mark, MAX_MARK_BYTES).bytes.toString('utf8')
  } catch (error) {
    return error instanceof TooLargeError ? 'a different folder' : null
  }
  try {
    const { folder } = JSON.parse(text) as { readonly folder?: unknown }
    if (typeof folder === 'string') return folder
  } catch {
    // The file is damaged.
  }
  return 'a different folder'
}

/** The sentence why no program may use this folder as a station. Null if a program may use it. */
export const movedRefusal = (dataFolder: string): string | null => {
  const from = readMark(arrivingMark(dataFolder))
  if (from !== null)
    return `The move of the station from ${from} to ${dataFolder} is not finished. Repeat the command that started it: “sluice service install --from” or “sluice service uninstall --to”.`
  const to = readMark(movedMark(dataFolder))
  return to === null ? null : `The station of ${dataFolder} has moved to ${to}. Use that data folder.`
}

/** Throws an Error for the user if the station has moved or is being moved. */
export const refuseIfMoved = (dataFolder: string): void => {
  const refusal = movedRefusal(dataFolder)
  if (refusal !== null) throw new Error(refusal)
}

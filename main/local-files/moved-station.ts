import path from 'node:path'
import { readPlainFile, TooLargeError } from './plain-file.ts'

/**
 * A station moves between two data folders. These marks prevent an agent from starting in the folder that is not
 * the station's.
 */

/** The station of this folder has moved to a different folder, or is being moved there. */
export const movedFile = (dataFolder: string): string => path.join(dataFolder, 'moved.json')
/** A station is being moved into this folder, and the move is not complete. */
export const arrivingFile = (dataFolder: string): string => path.join(dataFolder, 'arriving.json')

const MAX_MARK_BYTES = 64 * 1024

/** The other folder that a mark names. Null if there is no mark. */
export const readMark = (mark: string): string | null => {
  let text: string
  try {
    text = readPlainFile(mark, MAX_MARK_BYTES).bytes.toString('utf8')
  } catch (error) {
    return error instanceof TooLargeError ? 'a different folder' : null
  }
  try {
    return String(JSON.parse(text).folder)
  } catch {
    return 'a different folder'
  }
}

/** Why no agent may start in this folder, as a sentence. Null if one may. */
export const whyMoved = (dataFolder: string): string | null => {
  const from = readMark(arrivingFile(dataFolder))
  if (from !== null)
    return `The move of the station from ${from} to ${dataFolder} is not finished. Run the same command again.`
  const to = readMark(movedFile(dataFolder))
  return to === null ? null : `The station of ${dataFolder} has moved to ${to}. Run the agent there.`
}

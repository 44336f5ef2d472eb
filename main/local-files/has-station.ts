import { existsSync } from 'node:fs'
import path from 'node:path'

/**
 * The agent writes this file after the first scan of a folder. Its name must not begin with `journal`: an administrator
 * may remove all files with such names to remove the journal, but must keep this one.
 */
export const FIRST_SEEN_FILE = 'first-seen.json'

/**
 * True if this data folder has a journal, and its agent has watched a folder. The journal alone proves no station,
 * because a window creates an empty journal at its first start.
 */
export const hasStation = (dataFolder: string): boolean =>
  ['journal.db', FIRST_SEEN_FILE].every((name) => existsSync(path.join(dataFolder, name)))

import { existsSync } from 'node:fs'
import path from 'node:path'

/**
 * The agent writes this file after the first scan of a folder. The name does not begin with `journal`: administrators
 * who restore a disk image remove the files whose names do, and must keep this one.
 */
export const FIRST_SEEN_FILE = 'first-seen.json'

/** Whether the agent of this data folder has watched a folder. The first start of a window creates an empty journal. */
export const hasStation = (dataFolder: string): boolean =>
  ['journal.db', FIRST_SEEN_FILE].every((name) => existsSync(path.join(dataFolder, name)))

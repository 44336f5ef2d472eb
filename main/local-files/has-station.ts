import { existsSync } from 'node:fs'
import path from 'node:path'

/**
 * The agent writes this file when it has scanned its first folder. After administrators have restored a disk image, they
 * remove all files whose names begin with `journal`, but this file must stay.
 */
export const FIRST_SEEN_FILE = 'first-seen.json'

/** Whether the agent of this data folder has watched a folder. The first start of a window creates an empty journal. */
export const hasStation = (dataFolder: string): boolean =>
  ['journal.db', FIRST_SEEN_FILE].every((name) => existsSync(path.join(dataFolder, name)))

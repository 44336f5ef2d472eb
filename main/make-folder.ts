import { existsSync, mkdirSync } from 'node:fs'
import path from 'node:path'

/** For its owner alone. Level by level: Node's own recursion never ends where the system denies that a parent exists (/proc). */
export const makeFolder = (folder: string): void => {
  if (existsSync(folder)) return
  makeFolder(path.dirname(folder))
  mkdirSync(folder, 0o700)
}

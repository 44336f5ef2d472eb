import { readFileSync } from 'node:fs'
import path from 'node:path'

/** From the package around this file, wherever it was built to; null where there is none. */
export const ownVersion = (folder: string = import.meta.dirname): string | null => {
  try {
    const { name, version } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'))
    if (name === 'sluice' && typeof version === 'string') return version
  } catch {
    // Not in this folder.
  }
  const outer = path.dirname(folder)
  return outer === folder ? null : ownVersion(outer)
}

import path from 'node:path'

/**
 * Only Electron's own `node:fs` can read `package.json` in the archive of a packaged app (see
 * `scripts/building/require-builtins.mjs`).
 */
const { readFileSync } = process.getBuiltinModule('node:fs')

/** Reads the version from Sluice's `package.json`, in the nearest folder above this file. Null if there is none. */
export const ownVersion = (folder: string = import.meta.dirname): string | null => {
  try {
    const { name, version } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'))
    if (name === 'sluice' && typeof version === 'string') return version
  } catch {
    // Try the parent folder.
  }
  const outer = path.dirname(folder)
  return outer === folder ? null : ownVersion(outer)
}

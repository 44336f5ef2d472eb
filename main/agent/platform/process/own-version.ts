import path from 'node:path'

/**
 * In a packaged app, `package.json` is inside the app's archive, which only Electron's own `node:fs` can read (see
 * `scripts/building/require-builtins.mjs`).
 */
const { readFileSync } = process.getBuiltinModule('node:fs')

/** Reads the version from Sluice's `package.json`, in the nearest folder above this file. Null if there is none. */
export const ownVersion = (folder: string = import.meta.dirname): string | null => {
  try {
    const { name, version } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'))
    if (name === 'sluice' && typeof version === 'string') return version
  } catch {
    // There is no `package.json` in this folder.
  }
  const outer = path.dirname(folder)
  return outer === folder ? null : ownVersion(outer)
}

import picomatch from 'picomatch'
import type { FolderSettings } from '../../../../shared/settings.ts'

/** Both take the path inside the folder, with forward slashes. */
export type FolderFilter = {
  readonly takesFile: (path: string) => boolean
  /** A folder that is itself excluded is not entered: an excluded `.cache` keeps out `.cache/a.wav` too. */
  readonly entersFolder: (path: string) => boolean
}

/** The system's own, at the top of a drive: closed to us, or full of what people have thrown away. */
const systemFolders = new Set(['lost+found', 'System Volume Information', '$RECYCLE.BIN'])

/**
 * Compiled once per folder. `dot` because "exclude nothing" must mean nothing: `path.matchesGlob` cannot match
 * a leading dot by a wildcard, so recordings in a hidden file would be lost without a word.
 */
export const createFolderFilter = (
  folder: Pick<FolderSettings, 'include' | 'exclude' | 'recursive'>,
  platform: NodeJS.Platform = process.platform,
): FolderFilter => {
  const ignoresCase = platform === 'win32' || platform === 'darwin'
  // `s`: without it `**` does not match a name with a line break.
  const options = { dot: true, windows: false, flags: ignoresCase ? 'is' : 's' }
  const compile = (globs: readonly string[]) =>
    globs.length === 0 ? () => false : picomatch([...globs], options)
  const included = compile(folder.include)
  const excluded = compile(folder.exclude)
  return {
    takesFile: (path) => included(path) && !excluded(path),
    entersFolder: (path) => folder.recursive && !excluded(path) && !systemFolders.has(path),
  }
}

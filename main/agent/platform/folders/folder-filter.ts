import picomatch from 'picomatch'
import { type Paths, pathsOf } from '../../../../shared/paths/paths.ts'
import { isSystemFile, isSystemFolder } from '../../../../shared/paths/system-names.ts'
import type { FolderSettings } from '../../../../shared/settings/settings.ts'

/** All take the path inside the folder, with forward slashes. */
export type FolderFilter = {
  readonly takesFile: (path: string) => boolean
  /** A folder that is itself excluded is not entered: an excluded `.cache` keeps out `.cache/a.wav` too. */
  readonly entersFolder: (path: string) => boolean
  /** Of a file or folder that Windows hides by an attribute: what excludes a name with a dot before it excludes it. */
  readonly takesHidden: (path: string) => boolean
}

const lastName = (path: string): string => path.slice(path.lastIndexOf('/') + 1)
const withDot = (path: string): string => `${path.slice(0, path.lastIndexOf('/') + 1)}.${lastName(path)}`

/**
 * Compiled once per folder. `dot` because "exclude nothing" must mean nothing: `path.matchesGlob` cannot match
 * a leading dot by a wildcard, so recordings in a hidden file would be lost without a word. Only what the systems
 * keep for themselves is never taken: closed to us, or full of what people have thrown away.
 */
export const createFolderFilter = (
  folder: Pick<FolderSettings, 'include' | 'exclude' | 'recursive'>,
  { rules }: Pick<Paths, 'rules'> = pathsOf(process.platform),
): FolderFilter => {
  const inOneForm = (text: string) => (rules.oneForm ? text.normalize('NFC') : text)
  // `s`: without it `**` does not match a name with a line break.
  const options = { dot: true, windows: false, flags: rules.fold === null ? 's' : 'is' }
  /** Not by picomatch's own function: it makes two objects for every name and glob, and a look has 100,000 names. */
  const compile = (globs: readonly string[]) => {
    const spelled = new Set(globs.map(inOneForm))
    const patterns = [...spelled].map((glob) => picomatch.makeRe(glob, options))
    return (name: string) => spelled.has(name) || patterns.some((pattern) => pattern.test(name))
  }
  const included = compile(folder.include)
  const excluded = compile(folder.exclude)
  return {
    takesFile: (path) => {
      const name = inOneForm(path)
      return !isSystemFile(lastName(path)) && included(name) && !excluded(name)
    },
    entersFolder: (path) => folder.recursive && !isSystemFolder(lastName(path)) && !excluded(inOneForm(path)),
    takesHidden: (path) => !excluded(withDot(inOneForm(path))),
  }
}

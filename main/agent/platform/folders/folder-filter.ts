import picomatch from 'picomatch'
import { type Paths, pathsOf } from '../../../../shared/paths/paths.ts'
import { hasManyStars, isPlainGlob, plainMatcher } from '../../../../shared/paths/plain-glob.ts'
import { isNeverRecording, isSystemFolder } from '../../../../shared/paths/system-names.ts'
import type { FolderSettings } from '../../../../shared/settings/settings.ts'
import { isMarkerName } from '../../domain/marker-file.ts'

/** All functions take the path relative to the watched folder, with forward slashes. */
export type FolderFilter = {
  readonly takesFile: (path: string) => boolean
  /** Sluice does not enter an excluded folder. So excluding `.cache` also excludes `.cache/a.wav`. */
  readonly entersFolder: (path: string) => boolean
  /** For a file or folder that Windows hides. The exclude patterns see its name with a leading dot. */
  readonly takesHidden: (path: string) => boolean
}

const lastName = (path: string): string => path.slice(path.lastIndexOf('/') + 1)
const withDot = (path: string): string => `${path.slice(0, path.lastIndexOf('/') + 1)}.${lastName(path)}`

/** Ignores case like a regular expression with the flag `i`, one UTF-16 unit at a time. */
const foldAsRegExp = (text: string): string =>
  text.replace(/[^A-Z]/g, (unit) => {
    const upper = unit.toUpperCase()
    return upper.length === 1 && (unit < '\u0080' || upper >= '\u0080') ? upper : unit
  })

/**
 * The filter always excludes markers, Sluice's own temporary files, and files and folders of the system.
 * `path.matchesGlob` would silently skip recordings whose names begin with a dot, so the filter uses picomatch with the
 * option `dot`.
 */
export const createFolderFilter = (
  folder: Pick<FolderSettings, 'include' | 'exclude' | 'recursive' | 'marker_suffix'>,
  { rules }: Pick<Paths, 'rules'> = pathsOf(process.platform),
): FolderFilter => {
  const normalize = (text: string) => (rules.ignoresUnicodeForm ? text.normalize('NFC') : text)
  // Without the flag `s`, `**` does not match a name with a line break.
  const options = { dot: true, windows: false, flags: rules.fold === null ? 's' : 'is' }
  /** picomatch's own matcher allocates two objects per name and glob, and a scan can find 100,000 names. */
  const compile = (globs: readonly string[]) => {
    const literals = new Set(globs.map(normalize))
    const matchers = [...literals].map((glob): ((name: string) => boolean) => {
      if (isPlainGlob(glob) && hasManyStars(glob))
        return plainMatcher(glob, rules.fold === null ? (name) => name : foldAsRegExp)
      const pattern = picomatch.makeRe(glob, options)
      return (name) => pattern.test(name)
    })
    return (name: string) => literals.has(name) || matchers.some((matches) => matches(name))
  }
  const isIncluded = compile(folder.include)
  const isExcluded = compile(folder.exclude)
  return {
    takesFile: (path) => {
      const name = normalize(path)
      if (isNeverRecording(lastName(path)) || isMarkerName({ rules }, path, folder.marker_suffix))
        return false
      return isIncluded(name) && !isExcluded(name)
    },
    entersFolder: (path) =>
      folder.recursive && !isSystemFolder(lastName(path)) && !isExcluded(normalize(path)),
    takesHidden: (path) => !isExcluded(withDot(normalize(path))),
  }
}

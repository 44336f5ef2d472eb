import { linuxRules, macRules, type PathRules, rulesOf, windowsRules } from './path-rules.ts'

/**
 * The one place that compares paths. A path keeps the spelling that it came in, in the settings and in the journal;
 * whether two are one is asked here. Names are taken literally: every file is opened through `toOpen`, where a dot
 * at the end of a name is part of it.
 */
export type Paths = {
  readonly rules: PathRules
  /** The same for every spelling of a path, and only to be compared with other keys: nothing is opened by it. */
  readonly key: (path: string) => string
  readonly same: (a: string, b: string) => boolean
  /** Whether the path lies below the folder; the folder itself does not. */
  readonly contains: (folder: string, path: string) => boolean
  /** The innermost of the folders that contain a path. Made once for many paths. */
  readonly finder: (folders: readonly string[]) => (path: string) => string | null
  /** The way from a folder to what lies in it, with forward slashes; empty for itself, null for what is elsewhere. */
  readonly nameInside: (folder: string, path: string) => string | null
  /** The last name. */
  readonly nameOf: (path: string) => string
  /** `name` may be several, with forward slashes. */
  readonly join: (folder: string, name: string) => string
  /** The paths of what a listing of the folder names. Made once for many names. */
  readonly within: (folder: string) => (name: string) => string
  /** A path as it was typed, from the folder that it is relative to. */
  readonly resolve: (base: string, path: string) => string
  readonly isAbsolute: (path: string) => boolean
  /** `/`, `D:\` or `\\server\share`. */
  readonly isRoot: (path: string) => boolean
  /** The root that it lies on, with a separator at its end; null for a relative path. */
  readonly driveOf: (path: string) => string | null
  /** `\\server\share`, as Windows names what is on another PC. */
  readonly isShare: (path: string) => boolean
  /** `\\.\…`, or what `\\?\` names besides a drive or a share. */
  readonly isDevice: (path: string) => boolean
  /** What the system is given: `\\?\` on Windows, past its limit of 260 and with names as they are. */
  readonly toOpen: (path: string) => string
  /** For people: in plain form, unless that would lead them to another file. */
  readonly show: (path: string) => string
}

/** `root` is null for a relative path, and has no separator at its end. */
type Parts = { readonly root: string | null; readonly names: readonly string[] }

const LITERAL = '\\\\?\\'
const VOLUME = /^\\\\\?\\[^\\/]+/
const DRIVE = /^[a-z]:(?=[\\/]|$)/i
const SHARE = /^[\\/]{2}([^\\/]+)[\\/]+([^\\/]+)/
const LITERAL_SHARE = /^unc[\\/]+([^\\/]+)[\\/]+([^\\/]+)/i

/** The root of a Windows path, and how much of the text it takes. */
const windowsRoot = (path: string): { readonly root: string | null; readonly length: number } => {
  const device = /^(?:[\\/]{2}[?.][\\/])/.exec(path)?.[0].length ?? 0
  const rest = path.slice(device)
  const drive = DRIVE.exec(rest)?.[0]
  if (drive !== undefined) return { root: drive, length: device + drive.length }
  const share = (device > 0 ? LITERAL_SHARE : SHARE).exec(rest)
  if (share !== null) return { root: `\\\\${share[1]}\\${share[2]}`, length: device + share[0].length }
  const volume = device > 0 ? VOLUME.exec(LITERAL + rest)?.[0] : undefined
  return volume === undefined ? { root: null, length: 0 } : { root: volume, length: volume.length }
}

const createPaths = (rules: PathRules): Paths => {
  const { separator, separators, drives, fold, misread } = rules

  const rootOf = (path: string) =>
    drives ? windowsRoot(path) : { root: path.startsWith('/') ? '' : null, length: 0 }

  const climb = (names: readonly string[], isRooted: boolean): readonly string[] => {
    const kept: string[] = []
    for (const name of names) {
      if (name === '' || name === '.') continue
      if (name !== '..') kept.push(name)
      else if (kept.length > 0 && kept.at(-1) !== '..') kept.pop()
      else if (!isRooted) kept.push(name)
    }
    return kept
  }

  const read = (path: string): Parts => {
    const { root, length } = rootOf(path)
    return { root, names: climb(path.slice(length).split(separators), root !== null) }
  }

  const write = ({ root, names }: Parts): string =>
    (root === null ? '' : root + separator) + names.join(separator)

  const key = (path: string): string => {
    const { root, names } = read(path)
    if (fold === null) return write({ root, names })
    return write({ root: root === null ? null : fold(root), names: names.map(fold) })
  }

  /** What the keys of all that lies below begin with. */
  const below = (folderKey: string): string =>
    folderKey.endsWith(separator) ? folderKey : folderKey + separator

  const contains = (folder: string, path: string): boolean => {
    const start = below(key(folder))
    const whole = key(path)
    return whole.startsWith(start) && whole !== start
  }

  const finder = (folders: readonly string[]) => {
    const known = new Map(folders.map((folder) => [below(key(folder)), folder]))
    return (path: string): string | null => {
      if (known.size === 0) return null
      const whole = key(path)
      for (let end = whole.length - 1; end > 0; ) {
        end = whole.lastIndexOf(separator, end - 1)
        const folder = known.get(whole.slice(0, end + 1))
        if (end >= 0 && folder !== undefined) return folder
      }
      return null
    }
  }

  const nameInside = (folder: string, path: string): string | null => {
    if (key(folder) === key(path)) return ''
    return contains(folder, path) ? read(path).names.slice(read(folder).names.length).join('/') : null
  }

  const resolve = (base: string, path: string): string => {
    const own = read(path)
    if (own.root !== null) return write(own)
    const from = read(base)
    // `\rec` on Windows: from the top of the drive that we are on.
    const start = drives && /^[\\/]/.test(path) ? [] : from.names
    return write({ root: from.root, names: climb([...start, ...path.split(separators)], from.root !== null) })
  }

  const join = (folder: string, name: string): string => {
    const { root, names } = read(folder)
    return write({ root, names: climb([...names, ...name.split(separators)], root !== null) })
  }

  const within = (folder: string) => {
    const { root, names } = read(folder)
    const before = below(write({ root, names }))
    return (name: string): string => `${before}${name}`
  }

  const isShare = (path: string): boolean => {
    const { root } = read(path)
    return root?.startsWith('\\\\') === true && !root.startsWith(LITERAL)
  }

  const toOpen = (path: string): string => {
    if (!drives) return path
    const parts = read(path)
    if (parts.root === null) return path
    const plain = write(parts)
    // Node drops the last separator of `\\?\D:\`, and what is left names the device and not its root folder.
    if (plain.startsWith(LITERAL) || parts.names.length === 0) return plain
    return isShare(path) ? `${LITERAL}UNC\\${plain.slice(2)}` : LITERAL + plain
  }

  return {
    rules,
    key,
    same: (a, b) => key(a) === key(b),
    contains,
    finder,
    nameInside,
    nameOf: (path) => read(path).names.at(-1) ?? path,
    join,
    within,
    resolve,
    isAbsolute: (path) => read(path).root !== null,
    isRoot: (path) => {
      const { root, names } = read(path)
      return root !== null && names.length === 0
    },
    driveOf: (path) => {
      const { root } = read(path)
      return root === null ? null : write({ root, names: [] })
    },
    isShare,
    isDevice: (path) => read(path).root?.startsWith(LITERAL) === true,
    toOpen,
    show: (path) => {
      const { root, names } = read(path)
      if (root === null) return path
      return misread !== null && names.some((name) => misread.test(name))
        ? toOpen(path)
        : write({ root, names })
    },
  }
}

export const windowsPaths = createPaths(windowsRules)
export const macPaths = createPaths(macRules)
export const linuxPaths = createPaths(linuxRules)

/** `platform` as `process.platform` names it. */
export const pathsOf = (platform: string): Paths =>
  [windowsPaths, macPaths].find(({ rules }) => rules === rulesOf(platform)) ?? linuxPaths

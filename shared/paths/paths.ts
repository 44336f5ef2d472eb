import { linuxRules, macRules, type PathRules, rulesOf, windowsRules } from './path-rules.ts'

/**
 * Hard case: One path in two spellings.
 * Sluice stores paths unchanged and looks them up by a key that follows the system's rules. If a folder is
 * case-sensitive despite these rules, the folder's listing and the inodes decide whether two paths are the same file.
 */

/** The only module that compares paths. A trailing dot is part of a name, also in a path from `toOpen`. */
export type Paths = {
  readonly rules: PathRules
  /** Equal for every spelling of a path. Only for comparison: a key is not a path that can be opened. */
  readonly key: (path: string) => string
  readonly same: (a: string, b: string) => boolean
  /** Whether the path lies below the folder. False for the folder itself. */
  readonly contains: (folder: string, path: string) => boolean
  /** Returns a function that finds the innermost folder that contains a path. Create it once for many paths. */
  readonly finder: (folders: readonly string[]) => (path: string) => string | null
  /** The path relative to a folder, with forward slashes. Empty for the folder itself, null outside it. */
  readonly nameInside: (folder: string, path: string) => string | null
  /** The last name of the path. */
  readonly nameOf: (path: string) => string
  /** `name` may contain several names, separated by forward slashes. */
  readonly join: (folder: string, name: string) => string
  /** Returns a function that turns names of a folder listing into paths. Create it once for many names. */
  readonly createJoin: (folder: string) => (name: string) => string
  /** Resolves a typed path against a base folder. */
  readonly resolve: (base: string, path: string) => string
  readonly isAbsolute: (path: string) => boolean
  /** True for `/`, `D:\` and `\\server\share`. */
  readonly isRoot: (path: string) => boolean
  /** The root of the path, with a trailing separator. Null for a relative path. */
  readonly driveOf: (path: string) => string | null
  /** Whether the path is on a Windows network share: `\\server\share`. */
  readonly isShare: (path: string) => boolean
  /** Whether the path begins with `\\.\` or `\\?\`, but names neither a drive nor a share. */
  readonly isDevice: (path: string) => boolean
  /**
   * The path for system calls. On Windows it starts with `\\?\`, unless it is a root or a relative path. The prefix
   * lifts the limit of 260 characters and makes names literal.
   */
  readonly toOpen: (path: string) => string
  /** The path for people. On Windows it has no `\\?\`, unless the path would mean a different file without it. */
  readonly show: (path: string) => string
}

/** `root` has no trailing separator. It is null for a relative path. */
type Parts = { readonly root: string | null; readonly names: readonly string[] }

const LITERAL = '\\\\?\\'
const VOLUME = /^\\\\\?\\[^\\/]+/
const DRIVE = /^[a-z]:(?=[\\/]|$)/i
const SHARE = /^[\\/]{2}([^\\/]+)[\\/]+([^\\/]+)/
const LITERAL_SHARE = /^unc[\\/]+([^\\/]+)[\\/]+([^\\/]+)/i

/** The root of a Windows path and its length in the text. */
const windowsRoot = (path: string): { readonly root: string | null; readonly length: number } => {
  const prefixLength = /^(?:[\\/]{2}[?.][\\/])/.exec(path)?.[0].length ?? 0
  const rest = path.slice(prefixLength)
  const drive = DRIVE.exec(rest)?.[0]
  if (drive !== undefined) return { root: drive, length: prefixLength + drive.length }
  const share = (prefixLength > 0 ? LITERAL_SHARE : SHARE).exec(rest)
  if (share !== null) return { root: `\\\\${share[1]}\\${share[2]}`, length: prefixLength + share[0].length }
  const volume = prefixLength > 0 ? VOLUME.exec(LITERAL + rest)?.[0] : undefined
  return volume === undefined ? { root: null, length: 0 } : { root: volume, length: volume.length }
}

const createPaths = (rules: PathRules): Paths => {
  const { separator, separators, hasDrives, fold, misreadNames } = rules

  const rootOf = (path: string) =>
    hasDrives ? windowsRoot(path) : { root: path.startsWith('/') ? '' : null, length: 0 }

  const resolveDots = (names: readonly string[], isRooted: boolean): readonly string[] => {
    const resolved: string[] = []
    for (const name of names) {
      if (name === '' || name === '.') continue
      if (name !== '..') resolved.push(name)
      else if (resolved.length > 0 && resolved.at(-1) !== '..') resolved.pop()
      else if (!isRooted) resolved.push(name)
    }
    return resolved
  }

  const parsePath = (path: string): Parts => {
    const { root, length } = rootOf(path)
    return { root, names: resolveDots(path.slice(length).split(separators), root !== null) }
  }

  const formatPath = ({ root, names }: Parts): string =>
    (root === null ? '' : root + separator) + names.join(separator)

  const key = (path: string): string => {
    const { root, names } = parsePath(path)
    if (fold === null) return formatPath({ root, names })
    return formatPath({ root: root === null ? null : fold(root), names: names.map(fold) })
  }

  /**
   * The folder's key with a trailing separator. The keys of all paths below the folder start with it. Also works with
   * paths instead of keys.
   */
  const prefixBelow = (folderKey: string): string =>
    folderKey.endsWith(separator) ? folderKey : folderKey + separator

  const contains = (folder: string, path: string): boolean => {
    const start = prefixBelow(key(folder))
    const pathKey = key(path)
    return pathKey.startsWith(start) && pathKey !== start
  }

  const finder = (folders: readonly string[]) => {
    const folderByPrefix = new Map(folders.map((folder) => [prefixBelow(key(folder)), folder]))
    return (path: string): string | null => {
      if (folderByPrefix.size === 0) return null
      const pathKey = key(path)
      for (let end = pathKey.length - 1; end > 0; ) {
        end = pathKey.lastIndexOf(separator, end - 1)
        const folder = folderByPrefix.get(pathKey.slice(0, end + 1))
        if (end >= 0 && folder !== undefined) return folder
      }
      return null
    }
  }

  const nameInside = (folder: string, path: string): string | null => {
    if (key(folder) === key(path)) return ''
    return contains(folder, path)
      ? parsePath(path).names.slice(parsePath(folder).names.length).join('/')
      : null
  }

  const resolve = (base: string, path: string): string => {
    const parts = parsePath(path)
    if (parts.root !== null) return formatPath(parts)
    const baseParts = parsePath(base)
    // On Windows, `\rec` starts at the root of the base folder's drive.
    const start = hasDrives && /^[\\/]/.test(path) ? [] : baseParts.names
    return formatPath({
      root: baseParts.root,
      names: resolveDots([...start, ...path.split(separators)], baseParts.root !== null),
    })
  }

  const join = (folder: string, name: string): string => {
    const { root, names } = parsePath(folder)
    return formatPath({ root, names: resolveDots([...names, ...name.split(separators)], root !== null) })
  }

  const createJoin = (folder: string) => {
    const { root, names } = parsePath(folder)
    const prefix = prefixBelow(formatPath({ root, names }))
    return (name: string): string => `${prefix}${name}`
  }

  const isShare = (path: string): boolean => {
    const { root } = parsePath(path)
    return root?.startsWith('\\\\') === true && !root.startsWith(LITERAL)
  }

  const toOpen = (path: string): string => {
    if (!hasDrives) return path
    const parts = parsePath(path)
    if (parts.root === null) return path
    const plain = formatPath(parts)
    // A root stays plain: Node drops the last separator of `\\?\D:\`, and `\\?\D:` is the device, not its root folder.
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
    nameOf: (path) => parsePath(path).names.at(-1) ?? path,
    join,
    createJoin,
    resolve,
    isAbsolute: (path) => parsePath(path).root !== null,
    isRoot: (path) => {
      const { root, names } = parsePath(path)
      return root !== null && names.length === 0
    },
    driveOf: (path) => {
      const { root } = parsePath(path)
      return root === null ? null : formatPath({ root, names: [] })
    },
    isShare,
    isDevice: (path) => parsePath(path).root?.startsWith(LITERAL) === true,
    toOpen,
    show: (path) => {
      const { root, names } = parsePath(path)
      if (root === null) return path
      return misreadNames !== null && names.some((name) => misreadNames.test(name))
        ? toOpen(path)
        : formatPath({ root, names })
    },
  }
}

export const windowsPaths = createPaths(windowsRules)
export const macPaths = createPaths(macRules)
export const linuxPaths = createPaths(linuxRules)

/** Takes a value of `process.platform`. */
export const pathsOf = (platform: string): Paths =>
  [windowsPaths, macPaths].find(({ rules }) => rules === rulesOf(platform)) ?? linuxPaths

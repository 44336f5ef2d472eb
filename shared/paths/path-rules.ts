import { foldByCharacter, foldByUnit } from './letter-case.ts'

/** How a system writes and compares paths. The rules are data, so all three sets work on every system. */
export type PathRules = {
  readonly system: 'windows' | 'macos' | 'linux'
  /** Separates names in paths that Sluice writes. Paths that it reads may use any of `separators`. */
  readonly separator: '\\' | '/'
  readonly separators: RegExp
  /** Whether paths have drive letters, `\\server\share` and `\\?\`. Otherwise there is one root. */
  readonly hasDrives: boolean
  /** Maps a name to the form for comparisons. Null if names are compared byte by byte. */
  readonly fold: ((name: string) => string) | null
  /** Whether the two Unicode forms of a text (NFC, NFD) are the same name. */
  readonly ignoresUnicodeForm: boolean
  /**
   * Names of files that the system opens only by a path with `\\?\`. In other paths, it takes them for devices or
   * drops their trailing dots or spaces.
   */
  readonly misreadNames: RegExp | null
}

/** NTFS and Windows shares. The two Unicode forms of a text are different names. */
export const windowsRules: PathRules = {
  system: 'windows',
  separator: '\\',
  separators: /[\\/]+/,
  hasDrives: true,
  fold: foldByUnit,
  ignoresUnicodeForm: false,
  misreadNames: /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³]) *(?:[.:]|$)|[. ]$/i,
}

/** APFS and HFS+ with their default options. Code that reads listings handles case-sensitive volumes. */
export const macRules: PathRules = {
  system: 'macos',
  separator: '/',
  separators: /\/+/,
  hasDrives: false,
  fold: foldByCharacter,
  ignoresUnicodeForm: true,
  misreadNames: null,
}

export const linuxRules: PathRules = {
  system: 'linux',
  separator: '/',
  separators: /\/+/,
  hasDrives: false,
  fold: null,
  ignoresUnicodeForm: false,
  misreadNames: null,
}

/** Takes a value of `process.platform`. */
export const rulesOf = (platform: string): PathRules => {
  if (platform === 'win32') return windowsRules
  return platform === 'darwin' ? macRules : linuxRules
}

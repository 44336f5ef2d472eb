import { foldByCharacter, foldByUnit } from './letter-case.ts'

/** How a system spells and compares paths, as data: the rules of all three can be used on any of them. */
export type PathRules = {
  readonly system: 'windows' | 'macos' | 'linux'
  /** What stands between two names when we write a path; all of `separators` do when we read one. */
  readonly separator: '\\' | '/'
  readonly separators: RegExp
  /** Drive letters, `\\server\share` and `\\?\`. Elsewhere there is one root. */
  readonly drives: boolean
  /** What one name is compared by; null where every byte counts. */
  readonly fold: ((name: string) => string) | null
  /** Whether one text in two Unicode forms (NFC, NFD) is one name. */
  readonly oneForm: boolean
  /**
   * Names that an ordinary path cannot hold because the system reads something else into them: devices, and dots and
   * spaces at the end, which it drops. Such a file can be made, and is reached, through `\\?\`.
   */
  readonly misread: RegExp | null
}

/** NTFS, and the shares of Windows. Two Unicode forms are two names there. */
export const windowsRules: PathRules = {
  system: 'windows',
  separator: '\\',
  separators: /[\\/]+/,
  drives: true,
  fold: foldByUnit,
  oneForm: false,
  misread: /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³]) *(?:[.:]|$)|[. ]$/i,
}

/** APFS and HFS+ as they are delivered. A volume may be made to tell case apart: see where listings are read. */
export const macRules: PathRules = {
  system: 'macos',
  separator: '/',
  separators: /\/+/,
  drives: false,
  fold: foldByCharacter,
  oneForm: true,
  misread: null,
}

export const linuxRules: PathRules = {
  system: 'linux',
  separator: '/',
  separators: /\/+/,
  drives: false,
  fold: null,
  oneForm: false,
  misread: null,
}

/** `platform` as `process.platform` names it. */
export const rulesOf = (platform: string): PathRules => {
  if (platform === 'win32') return windowsRules
  return platform === 'darwin' ? macRules : linuxRules
}

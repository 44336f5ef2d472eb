/**
 * What the systems keep on a drive for themselves: waste bins, indexes, restore points. A stick carries them from one
 * system to another, so the names of all three are known on each, in any case: Windows' hidden and system attributes are
 * told on Windows only.
 */

const FOLDERS: ReadonlySet<string> = new Set([
  '$recycle.bin',
  '$windows.~bt',
  '$windows.~ws',
  '$winreagent',
  '$sysreset',
  '$extend',
  'system volume information',
  '.trash',
  '.trashes',
  '.spotlight-v100',
  '.fseventsd',
  '.documentrevisions-v100',
  '.temporaryitems',
  'lost+found',
])

/** `.Trash-1000`: one for each user of a Linux system. */
const BIN_OF_USER = /^\.trash-\d+$/

/** Written into a watched folder for a moment, to see whether the system announces it. No recording, ever. */
export const CANARY_NAME = '.sluice-station-check.tmp'

/** A recording on its way out of its folder for a moment, and a copy of one on its way in. No recordings of their own. */
export const REMOVING_PREFIX = '.sluice-removing-'

const FILES: ReadonlySet<string> = new Set([
  CANARY_NAME,
  'desktop.ini',
  'thumbs.db',
  'pagefile.sys',
  'hiberfil.sys',
  'swapfile.sys',
  '.ds_store',
])

export const isSystemFolder = (name: string): boolean => {
  const small = name.toLowerCase()
  return FOLDERS.has(small) || BIN_OF_USER.test(small)
}

/** Home folders that older Linux systems encrypt take no longer names; all others take 255 bytes. */
export const LONGEST_SET_ASIDE_BYTES = 143

/** The prefix, a random UUID, and the name that the file had. */
const SET_ASIDE =
  /^\.sluice-removing-[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}~([^/\0]+)$/

/**
 * The name that a file had before Sluice renamed it; null for every name that Sluice cannot have made. Anybody can write
 * such a name into a watched folder, so it must not lead anywhere else.
 */
export const nameBeforeSetAside = (name: string): string | null => {
  const before = SET_ASIDE.exec(name)?.[1]
  if (before === undefined || before === '.' || before === '..' || isSystemFile(before)) return null
  return new TextEncoder().encode(name).length > LONGEST_SET_ASIDE_BYTES ? null : before
}

export const isSetAside = (name: string): boolean => nameBeforeSetAside(name) !== null

export const isSystemFile = (name: string): boolean => FILES.has(name.toLowerCase()) || isSetAside(name)

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

export const isSetAside = (name: string): boolean => name.startsWith(REMOVING_PREFIX)

export const isSystemFile = (name: string): boolean => FILES.has(name.toLowerCase()) || isSetAside(name)

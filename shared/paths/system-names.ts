/**
 * Files and folders that the operating systems create on a drive: recycle bins, indexes, restore points. A USB stick
 * carries them to other systems, so Sluice recognises the names from Windows, macOS and Linux on every system. It
 * needs the names because Linux and macOS cannot see the hidden and system attributes of Windows. Letter case does not
 * matter.
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

/** `.Trash-1000`: the trash folder of one Linux user. */
const USER_TRASH = /^\.trash-\d+$/

/** The station check writes this file to test whether the system reports new files. It never becomes a recording. */
export const CANARY_NAME = '.sluice-station-check.tmp'

/**
 * While Sluice deletes or moves a recording, the name of its file starts with this prefix. So does the name of an
 * unfinished copy in the target folder. Neither file becomes a new recording.
 */
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
  const lowerName = name.toLowerCase()
  return FOLDERS.has(lowerName) || USER_TRASH.test(lowerName)
}

/** Encrypted home folders on older Linux systems limit a file name to 143 bytes. All other file systems allow 255. */
export const MAX_REMOVAL_NAME_BYTES = 143

/** The prefix, a random UUID, `~` and the original name of the file. */
const RENAMED_FOR_REMOVAL =
  /^\.sluice-removing-[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}~([^/\0]+)$/

/**
 * The original name of a file that Sluice renamed. Null for a name that Sluice never creates. For example, the original
 * name `..` would lead out of the folder.
 */
export const originalNameOf = (name: string): string | null => {
  const originalName = RENAMED_FOR_REMOVAL.exec(name)?.[1]
  if (
    originalName === undefined ||
    originalName === '.' ||
    originalName === '..' ||
    isNeverRecording(originalName)
  )
    return null
  return new TextEncoder().encode(name).length > MAX_REMOVAL_NAME_BYTES ? null : originalName
}

export const isRemovalName = (name: string): boolean => originalNameOf(name) !== null

/** True for the files of the operating systems, and for Sluice's own temporary files. */
export const isNeverRecording = (name: string): boolean =>
  FILES.has(name.toLowerCase()) || isRemovalName(name)

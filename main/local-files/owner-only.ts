import { closeSync, constants, fchmodSync, fstatSync, lstatSync, openSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { foreignOwnerOf } from './data-folder-owner.ts'

/**
 * No other user of this PC needs to read the data folder, which holds file names, signed URLs and the API key. The
 * umask protects new files. This module protects files that an earlier version or another program has created. It
 * touches only names that Sluice uses, because the folder may also hold foreign files. On Windows, it does nothing:
 * files inherit the rights of their folder, and the profile of a user is already private.
 */
const ownFile =
  /^(?:journal\..+|agent\.lock.*|agent-(?:key|monitoring|endpoint)\.json.*|(?:moved|arriving|first-seen)\.json.*|settings\..+|(?:key|monitoring)\.bin.*|webhooks\.(?:bin|json).*|window\..+|sandbox\.json.*|hidden-window-announced|(?:agent|shell)(?:\.old)?\.log|sluice(?:-[\dTZ-]+)?\.log|sluice-(?:report|receipt|settings)-.+)$/
/** Folders that hold only files of Sluice. */
const ownFolder = /^(?:logs|incoming|journal-trial|(?:damaged|newer)-.+|try-out(?:\.new)?|sandbox|compiled)$/
/** Files and folders that Chromium keeps for the window, including crash dumps. */
const chromiumFile =
  /^(?:Crashpad|blob_storage|.*Cache|(?:Local|Session|Web|Shared) ?Storage|IndexedDB|Network|Partitions|Shared Dictionary|Dictionaries|VideoDecodeStats|databases|Local State|DevToolsActivePort|(?:Network Persistent State|Preferences|Cookies|DIPS|SharedStorage|TransportSecurity|Trust Tokens|QuotaManager)(?:-journal|-wal|-shm)?)$/

const OTHERS = 0o077
/** The sticky bit marks a folder where everybody may create files, such as `/tmp`. Its rights must stay unchanged. */
const STICKY = 0o1000

const isReadableByOthers = (mode: number): boolean => (mode & OTHERS) !== 0 && (mode & STICKY) === 0

/**
 * Removes all rights of other users. Checks and changes the rights through one handle, because another user could
 * replace the file with a link in the meantime.
 */
const makePrivate = (file: string, followsLink: boolean): void => {
  const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = constants
  const handle = openSync(file, O_RDONLY | O_NONBLOCK | (followsLink ? 0 : O_NOFOLLOW))
  try {
    const { mode } = fstatSync(handle)
    if (isReadableByOthers(mode)) fchmodSync(handle, mode & 0o700)
  } finally {
    closeSync(handle)
  }
}

/** Returns one sentence for each file that could not be protected. The usual cause: another user owns the file. */
export const restrictToOwner = (
  dataFolder: string,
  platform: NodeJS.Platform = process.platform,
): readonly string[] => {
  // As root, skip the data folder of a service account, because the account could replace a folder with a link in the
  // meantime. The account's own agent protects these files.
  if (platform === 'win32' || foreignOwnerOf(dataFolder) !== null) return []
  const sentences: string[] = []
  const protect = (file: string, followsLink = false): void => {
    try {
      if (isReadableByOthers(lstatSync(file).mode)) makePrivate(file, followsLink)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
      sentences.push(`Others may read ${file}, and its rights cannot be changed: it belongs to another user.`)
    }
  }
  protect(dataFolder, true)
  for (const file of ownFiles(dataFolder)) protect(file)
  return sentences
}

const isOwn = (name: string, isFolder: boolean): boolean =>
  (isFolder ? ownFolder : ownFile).test(name) || chromiumFile.test(name)

/** Never follows a link, because its target is not in this folder. */
const ownFiles = (folder: string, isIncluded = isOwn): string[] => {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const isFolder = entry.isDirectory()
      if ((!isFolder && !entry.isFile()) || !isIncluded(entry.name, isFolder)) return []
      const file = path.join(folder, entry.name)
      return isFolder ? [file, ...ownFiles(file, () => true)] : [file]
    })
  } catch {
    return []
  }
}

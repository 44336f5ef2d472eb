import { closeSync, constants, fchmodSync, fstatSync, lstatSync, openSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { foreignOwnerOf } from './data-folder-owner.ts'

/**
 * The data folder holds file names, open signed URLs and, in the settings or the key file, the key: nobody else on
 * this PC has to read it. New files are closed by the process's umask; what an earlier version or a copy left open is
 * closed here. Only Sluice's own names: somebody may have chosen a folder in which other things live. Windows keeps
 * rights by folder, and a user's own folder is closed there already.
 */
const ownFile =
  /^(?:journal\..+|agent\.lock.*|settings\..+|(?:key|monitoring)\.bin.*|webhooks\.(?:bin|json).*|window\..+|sandbox\.json.*|told-of-hiding|(?:agent|shell)(?:\.old)?\.log|sluice(?:-[\dTZ-]+)?\.log|sluice-(?:report|receipt|settings)-.+)$/
/** Everything in them is Sluice's. */
const ownFolder = /^(?:logs|damaged-.+|try-out(?:\.new)?|sandbox|compiled)$/
/** What Chromium keeps for the window, crash dumps included. */
const windowsOwn =
  /^(?:Crashpad|blob_storage|.*Cache|(?:Local|Session|Web|Shared) ?Storage|IndexedDB|Network|Partitions|Shared Dictionary|Dictionaries|VideoDecodeStats|databases|Local State|DevToolsActivePort|(?:Network Persistent State|Preferences|Cookies|DIPS|SharedStorage|TransportSecurity|Trust Tokens|QuotaManager)(?:-journal|-wal|-shm)?)$/

const OTHERS = 0o077
/** A folder in which everybody may put files, such as /tmp, is nobody's own. */
const SHARED_BY_ALL = 0o1000

const isOpen = (mode: number): boolean => (mode & OTHERS) !== 0 && (mode & SHARED_BY_ALL) === 0

/** Through a handle: by its name, a link that was planted meanwhile would be followed. */
const closeToOthers = (file: string, followsLink: boolean): void => {
  const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = constants
  const handle = openSync(file, O_RDONLY | O_NONBLOCK | (followsLink ? 0 : O_NOFOLLOW))
  try {
    const { mode } = fstatSync(handle)
    if (isOpen(mode)) fchmodSync(handle, mode & 0o700)
  } finally {
    closeSync(handle)
  }
}

/** Gives one sentence for each thing that could not be closed, because another user owns it. */
export const keepToOwner = (
  dataFolder: string,
  platform: NodeJS.Platform = process.platform,
): readonly string[] => {
  // The user of a service can swap folders for links while root walks them; that user's own agent does this.
  if (platform === 'win32' || foreignOwnerOf(dataFolder) !== null) return []
  const open: string[] = []
  const close = (file: string, followsLink = false): void => {
    try {
      if (isOpen(lstatSync(file).mode)) closeToOthers(file, followsLink)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
      open.push(`Others may read ${file}, and its rights cannot be changed: it belongs to another user.`)
    }
  }
  close(dataFolder, true)
  for (const file of ownFiles(dataFolder)) close(file)
  return open
}

const isOwn = (name: string, isFolder: boolean): boolean =>
  (isFolder ? ownFolder : ownFile).test(name) || windowsOwn.test(name)

/** Never through a link: what it points to is not in this folder. */
const ownFiles = (folder: string, isTaken = isOwn): string[] => {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const isFolder = entry.isDirectory()
      if ((!isFolder && !entry.isFile()) || !isTaken(entry.name, isFolder)) return []
      const file = path.join(folder, entry.name)
      return isFolder ? [file, ...ownFiles(file, () => true)] : [file]
    })
  } catch {
    return []
  }
}

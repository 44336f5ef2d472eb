import { chmodSync, lstatSync, readdirSync } from 'node:fs'
import path from 'node:path'

/**
 * The data folder holds file names, open signed URLs and, in the settings or the key file, the key: nobody else on
 * this PC has to read it. New files are closed by the process's umask; what an earlier version or a copy left open is
 * closed here. Only Sluice's own names: somebody may have chosen a folder in which other things live. Windows keeps
 * rights by folder, and a user's own folder is closed there already.
 */
const ownFile =
  /^(?:journal\..+|agent\.lock.*|settings\..+|key\.bin.*|webhooks\.(?:bin|json).*|window\..+|(?:agent|shell)(?:\.old)?\.log|sluice(?:-[\dTZ-]+)?\.log|sluice-report-.+)$/
const ownFolder = /^(?:logs|damaged-.+)$/

const OTHERS = 0o077
/** A folder in which everybody may put files, such as /tmp, is nobody's own. */
const SHARED_BY_ALL = 0o1000

/** Gives one sentence for each thing that could not be closed, because another user owns it. */
export const keepToOwner = (
  dataFolder: string,
  platform: NodeJS.Platform = process.platform,
): readonly string[] => {
  if (platform === 'win32') return []
  const open: string[] = []
  const close = (file: string): void => {
    try {
      const { mode } = lstatSync(file)
      if ((mode & OTHERS) !== 0 && (mode & SHARED_BY_ALL) === 0) chmodSync(file, mode & 0o700)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
      open.push(`Others may read ${file}, and its rights cannot be changed: it belongs to another user.`)
    }
  }
  close(dataFolder)
  for (const file of ownFiles(dataFolder)) close(file)
  return open
}

/** Never through a link: what it points to is not in this folder. */
export const ownFiles = (folder: string): string[] => {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const file = path.join(folder, entry.name)
      if (entry.isFile()) return ownFile.test(entry.name) ? [file] : []
      return entry.isDirectory() && ownFolder.test(entry.name) ? [file, ...ownFiles(file)] : []
    })
  } catch {
    return []
  }
}

/**
 * Electron shows an archive such as `app.asar` as a folder, but only the archive itself has an owner and rights. A recursive
 * listing enters archives even with `original-fs`.
 */
export const withArchivesAsFiles = <T>(read: () => T): T => {
  const electron = process as { noAsar?: boolean }
  const { noAsar = false } = electron
  electron.noAsar = true
  try {
    return read()
  } finally {
    electron.noAsar = noAsar
  }
}

/**
 * Runs `read` so that it sees an archive such as `app.asar` as a file, because only the file has an owner and rights.
 * Otherwise Electron shows the archive as a folder, and a recursive listing enters it even with `original-fs`.
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

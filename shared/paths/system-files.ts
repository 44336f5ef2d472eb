type Environment = Readonly<Record<string, string | undefined>>

/** Windows is always installed in a folder on a drive. Sluice ignores every other value, and every value with `..`. */
const WINDOWS_FOLDER = /^[A-Za-z]:\\(?!.*\.\.)[^/"<>|?*:]+$/

/**
 * The full path of a program or library of Windows. For a bare name, Windows also searches the current folder and the folder
 * of the running program, where other users may write.
 */
export const windowsSystemFile = (name: string, { SystemRoot }: Environment): string => {
  const windows =
    SystemRoot !== undefined && WINDOWS_FOLDER.test(SystemRoot)
      ? SystemRoot.replace(/\\+$/, '')
      : 'C:\\Windows'
  return `${windows}\\System32\\${name}`
}

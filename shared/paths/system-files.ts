type Environment = Readonly<Record<string, string | undefined>>

/** Sluice uses `SystemRoot` only if it is a folder on a drive, without `..`. Windows is always in such a folder. */
const WINDOWS_FOLDER = /^[A-Za-z]:\\(?!.*\.\.)[^/"<>|?*:]+$/

/**
 * The full path of a program or library of Windows. For a bare name, Windows also searches the current folder and the
 * folder of the running program, where other users may write.
 */
export const windowsSystemFile = (name: string, { SystemRoot }: Environment): string => {
  const windows =
    SystemRoot !== undefined && WINDOWS_FOLDER.test(SystemRoot)
      ? SystemRoot.replace(/\\+$/, '')
      : 'C:\\Windows'
  return `${windows}\\System32\\${name}`
}

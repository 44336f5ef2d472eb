type Environment = Readonly<Record<string, string | undefined>>

/** A drive and folders, without a step upwards: anything else is no place that Windows was installed in. */
const WINDOWS_FOLDER = /^[A-Za-z]:\\(?!.*\.\.)[^/"<>|?*:]+$/

/**
 * A program or library that Windows brings along, by its full path. Windows looks for a bare name in the current folder
 * and in the folder of the running program too, and others may write there.
 */
export const windowsSystemFile = (name: string, { SystemRoot }: Environment): string => {
  const windows =
    SystemRoot !== undefined && WINDOWS_FOLDER.test(SystemRoot)
      ? SystemRoot.replace(/\\+$/, '')
      : 'C:\\Windows'
  return `${windows}\\System32\\${name}`
}

import { LAUNCHER_SWITCHES } from '../../shared/ipc/launcher-switches.ts'

/** The command that starts this program again. A package has no separate Node, so its executable runs the commands. */
export const launchCommand = (): readonly string[] => {
  const isPackaged = (process as { readonly type?: string }).type === 'browser'
  return isPackaged ? [process.execPath, ...LAUNCHER_SWITCHES] : [process.execPath, process.argv[1] ?? '']
}

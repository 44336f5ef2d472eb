import { LAUNCHER_SWITCHES } from '../../shared/ipc/launcher-switches.ts'

/** The command that starts this program again. A package has no separate Node: its own executable takes commands. */
export const ownProgram = (): readonly string[] => {
  const inPackage = (process as { readonly type?: string }).type === 'browser'
  return inPackage ? [process.execPath, ...LAUNCHER_SWITCHES] : [process.execPath, process.argv[1] ?? '']
}

import { LAUNCHER_SWITCHES } from '../../shared/ipc/launcher-switches.ts'

/** Starts this program once more. In the package there is no Node to start: its own executable takes commands. */
export const ownProgram = (): readonly string[] => {
  const inPackage = (process as { readonly type?: string }).type === 'browser'
  return inPackage ? [process.execPath, ...LAUNCHER_SWITCHES] : [process.execPath, process.argv[1] ?? '']
}

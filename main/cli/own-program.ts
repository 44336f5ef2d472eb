import { LAUNCHED_WITH } from '../../shared/ipc/launched-with.ts'

/** Starts this program once more. In the package there is no Node to start: its own executable takes commands. */
export const ownProgram = (): readonly string[] => {
  const inPackage = (process as { readonly type?: string }).type === 'browser'
  return inPackage ? [process.execPath, ...LAUNCHED_WITH] : [process.execPath, process.argv[1] ?? '']
}

import { LAUNCHED_WITH } from '../../shared/ipc/launched-with.ts'

/** The command that starts this program again. A package has no separate Node: its own executable takes commands. */
export const ownProgram = (): readonly string[] => {
  const inPackage = (process as { readonly type?: string }).type === 'browser'
  return inPackage ? [process.execPath, ...LAUNCHED_WITH] : [process.execPath, process.argv[1] ?? '']
}

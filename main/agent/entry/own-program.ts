/** What the launcher of the package gives a command along: there is no page whose sandbox could be missed. */
const WITHOUT_CHROMIUM = ['--no-sandbox', '--no-zygote', '--log-level=3']

/** Starts this program once more. In the package there is no Node to start: its own executable takes commands. */
export const ownProgram = (): readonly string[] => {
  const inPackage = (process as { readonly type?: string }).type === 'browser'
  return inPackage ? [process.execPath, ...WITHOUT_CHROMIUM] : [process.execPath, process.argv[1] ?? '']
}

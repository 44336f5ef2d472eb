/** Windows reports `EOF` instead of `EPIPE`. */
const closedPipeCodes: readonly unknown[] = ['EPIPE', 'EOF']

/**
 * If the reader of a pipe stops early, as in `sluice status --check | head -1`, the command keeps its exit code. A
 * long-running command stops as on SIGTERM.
 */
export const acceptClosedOutput = (): void => {
  const accept = (error: NodeJS.ErrnoException): void => {
    if (!closedPipeCodes.includes(error.code)) throw error
  }
  process.stderr.on('error', accept)
  process.stdout.on('error', (error) => {
    accept(error)
    process.emit('SIGTERM', 'SIGTERM')
  })
}

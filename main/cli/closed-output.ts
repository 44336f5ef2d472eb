/** Windows reports `EOF` instead of `EPIPE`. */
const closedPipeCodes: readonly unknown[] = ['EPIPE', 'EOF']

/**
 * The reader of a pipe may stop early, as in `sluice status --check | head -1`. The command has not failed, so it keeps
 * its exit code. A long-running command stops as it does on SIGTERM.
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

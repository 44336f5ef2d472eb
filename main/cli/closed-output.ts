/** Windows says EOF for the same. */
const readerGone: readonly unknown[] = ['EPIPE', 'EOF']

/**
 * Whoever reads the output may stop early, as in `sluice status --check | head -1`. That is no failure: the exit code stays
 * the command's own. A command that would stay ends as it does on SIGTERM.
 */
export const acceptClosedOutput = (): void => {
  const accept = (error: NodeJS.ErrnoException): void => {
    if (!readerGone.includes(error.code)) throw error
  }
  process.stderr.on('error', accept)
  process.stdout.on('error', (error) => {
    accept(error)
    process.emit('SIGTERM', 'SIGTERM')
  })
}

/** Long, because a user who soon opens the window again should find its page loaded. */
const UNLOAD_AFTER_MS = 10 * 60_000

/** The environment variable is for tests. A packaged app ignores it. */
export const unloadAfterMs = (isPackaged: boolean, env: NodeJS.ProcessEnv): number => {
  const testMs = isPackaged ? Number.NaN : Number(env.SLUICE_UNLOAD_PAGE_AFTER_MS)
  return testMs > 0 ? testMs : UNLOAD_AFTER_MS
}

/**
 * Kills the page's process. Electron's `forcefullyCrashRenderer` would leave a memory dump. The pid of a page that has
 * already ended is 0, and `kill(0)` would end the whole process group: the app, its agent and the shell.
 */
export const killPage = (
  pid: number,
  kill: (pid: number, signal: 'SIGKILL') => unknown = process.kill,
): void => {
  if (pid > 0) kill(pid, 'SIGKILL')
}

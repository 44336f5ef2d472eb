import { url as debuggerUrl } from 'node:inspector'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Long enough for a look now and then, short against a night. */
const HIDDEN_FOR_MS = 10 * 60_000

/** Ten minutes; a test of the source tree need not wait for them. */
export const letGoAfterMs = (packaged: boolean, env: NodeJS.ProcessEnv): number => {
  const asked = packaged ? Number.NaN : Number(env.SLUICE_LET_GO_MS)
  return asked > 0 ? asked : HIDDEN_FOR_MS
}

/**
 * Not by a crash on request, which would leave a dump of memory behind. A page that has just ended by itself has the
 * number 0, and that is everybody in this process's group: the app, its agent, and the shell's pipe they run in.
 */
export const endPage = (
  pid: number,
  kill: (pid: number, signal: 'SIGKILL') => unknown = process.kill,
): void => {
  if (pid > 0) kill(pid, 'SIGKILL')
}

/**
 * What the page was told and asked is garbage in this process, which does so little in the tray that it would keep it
 * all night. Node has no call for it. Not under a debugger, whose open questions would go along.
 */
export const collectGarbage = (): void => {
  if (debuggerUrl() !== undefined) return
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  setFlagsFromString('--no-expose-gc')
  collect()
}

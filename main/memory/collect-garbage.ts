import { url as debuggerUrl } from 'node:inspector'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

type Collect = (options: {
  readonly type: 'major'
  readonly execution: 'sync'
  readonly flavor: 'last-resort'
}) => void

/**
 * Returns unused heap to the system, and drops compiled code that has not run recently. An idle process allocates so
 * little memory that V8 might start no garbage collection for a whole night. Node has no function that starts one, so
 * this function gets `gc` from V8. It does nothing under a debugger, because the collection would break pending
 * debugger requests.
 */
export const collectGarbage = (): void => {
  if (debuggerUrl() !== undefined) return
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as Collect
  setFlagsFromString('--no-expose-gc')
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}

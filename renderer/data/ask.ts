import type { CallArgs, CallError, CallName, CallResult } from '../../shared/ipc/ipc.ts'
import { bridge } from '../bridge.ts'
import { ShownError } from './shown-error.ts'

class CallFailed extends ShownError {
  readonly error: CallError

  constructor(error: CallError) {
    super(error.message)
    this.error = error
  }
}

type Args<N extends CallName> = undefined extends CallArgs<N> ? [] : [CallArgs<N>]

/** Calls the main process or the agent. Throws a `CallFailed` with a message for the user. */
export const ask = async <N extends CallName>(name: N, ...args: Args<N>): Promise<CallResult<N>> => {
  const answer = await bridge.call[name](args[0])
  if (answer.ok) return answer.value
  throw new CallFailed(answer.error)
}

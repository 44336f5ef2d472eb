import type { CallArgs, CallError, CallName, CallResult } from '../../shared/ipc.ts'
import { bridge } from '../bridge.ts'

class CallFailed extends Error {
  readonly error: CallError

  constructor(error: CallError) {
    super(error.message)
    this.error = error
  }
}

type Args<N extends CallName> = undefined extends CallArgs<N> ? [] : [CallArgs<N>]

/** The page's only way out. The answer, or a `CallFailed` whose message is written for a person. */
export const ask = async <N extends CallName>(name: N, ...args: Args<N>): Promise<CallResult<N>> => {
  const answer = await bridge.call[name](args[0])
  if (answer.ok) return answer.value
  throw new CallFailed(answer.error)
}

/** A sentence for a person. Anything but a refused call is a mistake of this page, and goes to the console too. */
export const sentenceOf = (error: unknown): string => {
  if (error instanceof CallFailed) return error.message
  console.error(error)
  return 'Something went wrong in this window. Try again.'
}

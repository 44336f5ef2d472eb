import type { CallArgs, CallError, CallName, CallResult } from '../../shared/ipc.ts'
import { bridge } from '../bridge.ts'

export class CallFailed extends Error {
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

export const sentenceOf = (error: unknown): string =>
  error instanceof CallFailed ? error.message : 'Something went wrong in this window. Try again.'

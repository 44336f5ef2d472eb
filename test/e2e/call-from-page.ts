import type { Page } from 'playwright-core'
import type { CallAnswer, CallArgs, CallName, CallResult } from '../../shared/ipc/ipc.ts'

/** Calls the app through the bridge of the page. */
export const callFromPage = async <N extends CallName>(
  page: Page,
  name: N,
  args?: CallArgs<N>,
): Promise<CallResult<N>> => {
  const answer = await page.evaluate(
    ({ call, callArgs }) => (window as unknown as BridgedWindow).sluice.call[call](callArgs),
    { call: name as CallName, callArgs: args as unknown },
  )
  if (!answer.ok) throw new Error(answer.error.message)
  return answer.value as CallResult<N>
}

type BridgedWindow = {
  readonly sluice: {
    readonly call: Readonly<Record<CallName, (callArgs: unknown) => Promise<CallAnswer<unknown>>>>
  }
}

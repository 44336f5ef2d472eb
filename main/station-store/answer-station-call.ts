import { type CallAnswer, type CallError, calls } from '../../shared/ipc/ipc.ts'
import type { StationCallName } from '../../shared/ipc/station-calls.ts'
import { Refused } from './refused.ts'
import type { StationCalls } from './station-call-types.ts'

const refuse = (kind: CallError['kind'], message: string): CallAnswer<never> => ({
  ok: false,
  error: { kind, message },
})

/** Checks the arguments of a call that came from outside this process, and returns an answer or a typed error. */
export const answerStationCall = async (
  station: StationCalls,
  name: StationCallName,
  args: unknown,
  log: (sentence: string) => void,
): Promise<CallAnswer<unknown>> => {
  const parsed = calls[name].args.safeParse(args)
  if (!parsed.success) return refuse('bad-arguments', `${name}: wrong arguments`)
  try {
    const call = station[name] as (value: unknown) => unknown
    return { ok: true, value: await call(parsed.data) }
  } catch (error) {
    if (error instanceof Refused) return refuse('refused', error.message)
    log(`${name} failed: ${error instanceof Error ? error.stack : String(error)}`)
    return refuse('failed', 'Something went wrong inside Sluice. The log has the details.')
  }
}

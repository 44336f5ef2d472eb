import type { CallResult, CheckedArgs } from '../../shared/ipc/ipc.ts'
import type { StationCallName } from '../../shared/ipc/station-calls.ts'

export type StationCalls = {
  readonly [N in StationCallName]: (args: CheckedArgs<N>) => CallResult<N> | Promise<CallResult<N>>
}

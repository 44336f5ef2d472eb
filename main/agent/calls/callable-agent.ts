import type { AgentCallName, CallResult, CheckedArgs } from '../../../shared/ipc/ipc.ts'
import type { Agent } from '../assembly/agent.ts'
import type { MonitoringWorld } from '../ports/monitoring.ts'

export type AgentCalls = {
  readonly [N in AgentCallName]: (args: CheckedArgs<N>) => CallResult<N> | Promise<CallResult<N>>
}

export type CallableAgent = Pick<
  Agent,
  | 'journal'
  | 'progress'
  | 'standingContext'
  | 'status'
  | 'settings'
  | 'service'
  | 'keyFor'
  | 'systemProxy'
  | 'dataFolder'
  | 'platform'
  | 'watcherOf'
  | 'folderOf'
  | 'paths'
  | 'recordersInContainer'
  | 'nowMs'
  | 'checkSilence'
  | 'reportError'
  | 'webhookReceiverStatus'
  | 'webhookSecrets'
> & { readonly monitoring: MonitoringWorld }

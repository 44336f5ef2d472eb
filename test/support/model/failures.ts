import type { Failure } from '../../../main/agent/domain/failure.ts'

/** The connection to the service breaks during a request, so Sluice does not know whether the service received it. */
export const connectionReset: Failure = {
  kind: 'network',
  origin: 'control',
  connected: true,
  detail: 'reset',
}

/** The service cannot be reached. */
export const outage: Failure = { kind: 'network', origin: 'control', connected: false, detail: 'refused' }

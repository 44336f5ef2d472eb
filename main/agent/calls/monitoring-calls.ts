import type { DeliveryResult } from '../../../shared/ipc/monitoring.ts'
import { fullHeadline } from '../../../shared/words/words.ts'
import type { Agent } from '../assembly/agent.ts'
import { alertBody, alertPost } from '../domain/alert-message.ts'
import { needsIn } from '../domain/attention.ts'
import { heartbeatMessage } from '../domain/heartbeat.ts'
import { deliver } from '../monitoring/deliver.ts'
import type { Clock, Log } from '../ports/clock.ts'
import type { Delivery, MonitoringWorld } from '../ports/monitoring.ts'

type MonitoredAgent = Pick<Agent, 'settings' | 'status'> & { readonly monitoring: MonitoringWorld }
type Dependencies = { readonly clock: Clock; readonly log: Log; readonly newKey: () => string }

const toDeliveryResult = (delivery: Delivery): DeliveryResult =>
  delivery.ok ? { ok: true } : { ok: false, sentence: delivery.sentence }

/** Sends a heartbeat because a user requested one. Null if no URL is set. */
export const sendHeartbeatNow = async (
  agent: MonitoredAgent,
  dependencies: Dependencies,
  signal: AbortSignal,
): Promise<DeliveryResult | null> => {
  const { monitoring, settings } = agent
  const url = settings?.monitoring.heartbeat_url
  if (url === undefined) return null
  const status = agent.status()
  const beat = needsIn(status).length > 0 ? 'fail' : 'ok'
  const message = heartbeatMessage(url, beat, fullHeadline(status.station))
  return toDeliveryResult(await deliver({ monitoring, ...dependencies }, 'heartbeat', message, signal))
}

export const sendTestAlert = async (
  agent: MonitoredAgent,
  dependencies: Dependencies,
  signal: AbortSignal,
): Promise<DeliveryResult | null> => {
  const { monitoring, settings } = agent
  const url = settings?.monitoring.alert_url
  if (url === undefined) return null
  const id = dependencies.newKey()
  const body = alertBody({
    id,
    event: 'test',
    status: agent.status(),
    newNeeds: [],
    resolvedNeeds: [],
    openNeeds: [],
  })
  return toDeliveryResult(
    await deliver({ monitoring, ...dependencies }, 'alert', alertPost(url, id, body), signal),
  )
}

import type { ReceiverState } from '../../../shared/contract/webhooks.ts'
import type { DraftSettings } from '../../../shared/settings/settings.ts'

/** The page shows this secret once. Tests search for it in places where it must not appear. */
export const TEST_SECRET = 'whsec_simulated5f0c2a9be41d7730b6a4'

/** The state of a receiver at the configured address. It has received events if an endpoint is registered. */
export const receiverAt = (settings: DraftSettings, atMs: number, endpointCount: number): ReceiverState => {
  const { receive } = settings.webhooks
  return {
    listening: receive === undefined ? null : { address: receive.address, port: receive.port },
    secretCount: endpointCount,
    lastEventAt: endpointCount === 0 ? null : new Date(atMs - 180_000).toISOString(),
    eventsLastDay: endpointCount === 0 ? 0 : 41,
    refused: null,
  }
}

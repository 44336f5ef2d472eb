import { z } from 'zod'
import { calledUrl } from '../settings/called-url.ts'
import type { EventType } from './control-api.ts'

/** What the window, the terminal and the agent say to each other about the service's events (§4.7, §6). */

/** The one path that events are taken at. */
export const WEBHOOK_PATH = '/webhooks'

/** §6.1 */
export const eventTypes = [
  'session.processed',
  'session.failed',
  'export.completed',
  'export.failed',
] as const satisfies readonly EventType[]

/** What makes a station's recordings move. */
export const stationEvents: readonly EventType[] = ['session.processed', 'session.failed']

/** §4.7: an HTTPS URL; on this PC, as for the service's own address, http will do. */
const webhookUrl = calledUrl('type the URL that the service calls')

export const newEndpoint = z.strictObject({
  url: webhookUrl,
  events: z
    .array(z.enum(eventTypes, `use ${eventTypes.join(', ')}`))
    .min(1, 'choose at least one event')
    .max(eventTypes.length, 'name each event once')
    .refine((events) => new Set(events).size === events.length, 'name each event once'),
})
export type NewEndpoint = z.output<typeof newEndpoint>

/** One that was registered from this station. The service has no call that lists them (§4.8). */
export type KnownEndpoint = NewEndpoint & { readonly id: string; readonly registeredAt: string }

/** How receiving goes; the secrets themselves stay where they are. */
export type ReceiverState = {
  readonly listening: { readonly address: string; readonly port: number } | null
  readonly secrets: number
  readonly lastEventAt: string | null
  readonly lastDay: number
  /** Since the agent started. */
  readonly refused: {
    readonly count: number
    readonly lastAt: string
    readonly reason: DeliveryRefusal
  } | null
}

/**
 * Why a delivery was not taken: what the verifier says, and one that no event can be. Written again, because the verifier
 * stands alone and the page knows no Node; the receiver hands one over as the other, which keeps them the same.
 */
export type DeliveryRefusal =
  | 'header-missing'
  | 'header-malformed'
  | 'signature-wrong'
  | 'too-old'
  | 'too-new'
  | 'body-unreadable'
  | 'too-large'

import { z } from 'zod'
import { calledUrlSchema } from '../settings/called-url.ts'
import type { EventType } from './control-api.ts'

/** Types and rules that the window, the terminal and the agent share for the service's events (§4.7, §6). */

/** The receiver accepts events at this path only. */
export const WEBHOOK_PATH = '/webhooks'

/** §6.1 */
export const eventTypes = [
  'session.processed',
  'session.failed',
  'export.completed',
  'export.failed',
] as const satisfies readonly EventType[]

/** The events that report a new state of a station's recordings. */
export const stationEvents: readonly EventType[] = ['session.processed', 'session.failed']

/** §4.7: an HTTPS URL, or an HTTP URL on this PC. */
const webhookUrl = calledUrlSchema('type the URL that the service calls')

export const newEndpoint = z.strictObject({
  url: webhookUrl,
  events: z
    .array(z.enum(eventTypes, `use ${eventTypes.join(', ')}`))
    .min(1, 'choose at least one event')
    .max(eventTypes.length, 'name each event once')
    .refine((events) => new Set(events).size === events.length, 'name each event once'),
})
export type NewEndpoint = z.output<typeof newEndpoint>

/** An endpoint that this station registered. The station stores it, because the contract has no list call (§4.8). */
export type KnownEndpoint = NewEndpoint & { readonly id: string; readonly registeredAt: string }

/** The state of the webhook receiver. It contains the number of secrets, never a secret. */
export type ReceiverState = {
  readonly listening: { readonly address: string; readonly port: number } | null
  readonly secretCount: number
  readonly lastEventAt: string | null
  /** How many events arrived in the last 24 hours. */
  readonly eventsLastDay: number
  /** The refused deliveries since the agent started. */
  readonly refused: {
    readonly count: number
    readonly lastAt: string
    readonly reason: DeliveryRefusal
  } | null
}

/**
 * Why a delivery was refused. Repeats the values of `RefusalReason` (`verify-webhook.ts`), because the page must not
 * import a module that needs Node. The compiler finds a missing value in `webhook-receiver.ts`.
 */
export type DeliveryRefusal =
  | 'header-missing'
  | 'header-malformed'
  | 'signature-wrong'
  | 'too-old'
  | 'too-new'
  | 'body-unreadable'
  | 'too-large'

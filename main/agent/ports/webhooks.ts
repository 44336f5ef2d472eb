import type { DeliveryRefusal } from '../../../shared/contract/webhooks.ts'

export type Listener = {
  readonly address: string
  readonly port: number
  readonly close: () => Promise<void>
}

export type ListenResult =
  | { readonly ok: true; readonly listener: Listener }
  | { readonly ok: false; readonly reason: 'port-taken' | 'address-missing'; readonly detail: string }

/* ---- events of the service ---- */

export type WebhookListenerOptions = {
  readonly address: string
  readonly port: number
  readonly secrets: () => readonly string[]
  readonly nowMs: () => number
  /** Returns true once the event is on disk, and false if it could not be stored. */
  readonly storeEvent: (event: {
    readonly id: string
    readonly type: string
    readonly sessionId: string | null
  }) => boolean
  readonly onRefused: (reason: DeliveryRefusal) => void
}

export type ListenForWebhooks = (options: WebhookListenerOptions) => Promise<ListenResult>

/** Where the receiver listens, and the deliveries that it has refused since the agent started. */
export type WebhookReceiverStatus = {
  listening: { readonly address: string; readonly port: number } | null
  refused: {
    readonly count: number
    readonly lastAtMs: number
    readonly reason: DeliveryRefusal
  } | null
}

/** The dependencies of the event receiver. */
export type Webhooks = {
  readonly open: ListenForWebhooks
  /** The secrets of every endpoint that may still send events. */
  readonly secrets: () => readonly string[]
  readonly board: WebhookReceiverStatus
}

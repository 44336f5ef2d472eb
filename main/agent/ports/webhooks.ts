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
  /** True once it is durable; false where it could not be noted. */
  readonly note: (event: {
    readonly id: string
    readonly type: string
    readonly sessionId: string | null
  }) => boolean
  readonly refused: (reason: DeliveryRefusal) => void
}

export type ListenForWebhooks = (options: WebhookListenerOptions) => Promise<ListenResult>

/** What is not worth a journal: how receiving goes in this run. */
export type WebhookBoard = {
  listening: { readonly address: string; readonly port: number } | null
  refused: {
    readonly count: number
    readonly lastAtMs: number
    readonly reason: DeliveryRefusal
  } | null
}

/** All that receiving needs from the world. */
export type Webhooks = {
  readonly open: ListenForWebhooks
  /** Of every endpoint that may still send. */
  readonly secrets: () => readonly string[]
  readonly board: WebhookBoard
}

/* ---- those who watch the station from outside ---- */

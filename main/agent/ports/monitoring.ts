import type { MonitoringState } from '../../../shared/ipc/monitoring.ts'
import type { Status } from '../../../shared/status/status.ts'
import type { ListenResult } from './webhooks.ts'

export type MetricsListenerOptions = {
  readonly address: string
  readonly port: number
  /** If null, only programs on this PC get an answer. */
  readonly token: string | null
  /** Null if there is nothing to report now. */
  readonly text: () => string | null
  readonly onRefused: () => void
}

export type OutgoingMessage = {
  readonly url: string
  readonly method: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: { readonly type: string; readonly text: string }
}

/** The result of sending a message. The sentence names only the host of the URL, because the rest is secret. */
export type Delivery =
  | { readonly ok: true }
  | { readonly ok: false; readonly sentence: string; readonly retryAfterMs: number | null }

export type DeliveryHistory = {
  readonly lastOkAtMs: number | null
  readonly failure: { readonly atMs: number; readonly sentence: string } | null
}

/** What monitoring has done since the agent started. */
export type MonitoringBoard = {
  listening: { readonly address: string; readonly port: number } | null
  lastRequestAtMs: number | null
  refused: number
  heartbeat: DeliveryHistory
  alert: DeliveryHistory
}

export type MonitoringWorld = {
  readonly openMetrics: (options: MetricsListenerOptions) => Promise<ListenResult>
  readonly metricsText: () => string | null
  /** The status may be a second old. */
  readonly status: () => Status | null
  readonly send: (message: OutgoingMessage, signal: AbortSignal) => Promise<Delivery>
  readonly board: MonitoringBoard
  readonly state: () => MonitoringState
}

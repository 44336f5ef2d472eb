/** What the window, the terminal and the agent say to each other about those who watch the station from outside. */

/** The one path that metrics are told at. */
export const METRICS_PATH = '/metrics'

/** How sending went in this run of the agent. The sentence names the host, and nothing else of the URL. */
export type DeliveryState = {
  /** Null where no URL is set. */
  readonly host: string | null
  readonly lastOkAt: string | null
  /** Since the last success. */
  readonly failure: { readonly at: string; readonly sentence: string } | null
}

/** Which secrets are in force is told, never what they are. */
export type MonitoringState = {
  readonly metrics: {
    readonly listening: { readonly address: string; readonly port: number } | null
    readonly hasToken: boolean
    readonly lastAskedAt: string | null
    /** Since the agent started. */
    readonly refused: number
  }
  readonly heartbeat: DeliveryState
  readonly alert: DeliveryState & {
    /** Told to somebody, and not over yet. */
    readonly open: number
    /** One that could not be delivered yet. */
    readonly waiting: boolean
  }
}

/** What became of something that a person had sent at once. */
export type SentNow = { readonly ok: true } | { readonly ok: false; readonly sentence: string }

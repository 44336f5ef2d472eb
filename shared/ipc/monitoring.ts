/** Types that the window, the terminal and the agent share for monitoring. */

/** The agent serves metrics at this path only. */
export const METRICS_PATH = '/metrics'

/** The deliveries since the agent started. */
export type DeliveryState = {
  /** Null if no URL is set. */
  readonly host: string | null
  readonly lastOkAt: string | null
  /** The last failure since the last success. Of the URL, the sentence names only the host. */
  readonly failure: { readonly at: string; readonly sentence: string } | null
}

/** Shows which secrets are set, never their values. */
export type MonitoringState = {
  readonly metrics: {
    readonly listening: { readonly address: string; readonly port: number } | null
    readonly hasToken: boolean
    readonly lastRequestAt: string | null
    /** How many requests were refused since the agent started. */
    readonly refused: number
  }
  readonly heartbeat: DeliveryState
  readonly alert: DeliveryState & {
    /** Alerts that were delivered and are not resolved yet. */
    readonly open: number
    /** True if an alert could not be delivered yet. */
    readonly waiting: boolean
  }
}

/** The result of a test delivery that the user started. */
export type DeliveryResult = { readonly ok: true } | { readonly ok: false; readonly sentence: string }

import type { MonitoringWorld } from '../../../main/agent/ports/monitoring.ts'

/** A station without monitoring. */
export const noMonitoring: MonitoringWorld = {
  openMetrics: async () => ({ ok: false, reason: 'port-taken', detail: 'simulated' }),
  metricsText: () => null,
  status: () => null,
  send: async () => ({ ok: false, sentence: 'no receiver listens', retryAfterMs: null }),
  state: () => ({
    metrics: { listening: null, hasToken: false, lastRequestAt: null, refused: 0 },
    heartbeat: { host: null, lastOkAt: null, failure: null },
    alert: { host: null, lastOkAt: null, failure: null, open: 0, waiting: false },
  }),
  board: {
    listening: null,
    lastRequestAtMs: null,
    refused: 0,
    heartbeat: { lastOkAtMs: null, failure: null },
    alert: { lastOkAtMs: null, failure: null },
  },
}

import type { MonitoringState } from '../../../shared/ipc/monitoring.ts'
import type { MonitoringSecrets } from '../../../shared/settings/monitoring-secrets.ts'
import type { DraftSettings } from '../../../shared/settings/settings.ts'

const hostOf = (url: string | undefined): string | null => (url === undefined ? null : new URL(url).host)

/**
 * The monitoring state of the scripted agent. Heartbeats arrive, the last alert failed, and metrics without a token are
 * served only at 127.0.0.1.
 */
export const monitoringAt = (
  { monitoring: { metrics } }: DraftSettings,
  secrets: MonitoringSecrets,
  atMs: number,
): MonitoringState => {
  const ago = (seconds: number) => new Date(atMs - seconds * 1000).toISOString()
  const isOff = (url: string | undefined) => url === undefined
  const mayListen = metrics?.address === '127.0.0.1' || secrets.token !== undefined
  return {
    metrics: {
      listening:
        metrics === undefined || !mayListen ? null : { address: metrics.address, port: metrics.port },
      hasToken: secrets.token !== undefined,
      lastRequestAt: metrics === undefined ? null : ago(12),
      refused: 0,
    },
    heartbeat: {
      host: hostOf(secrets.heartbeat_url),
      lastOkAt: isOff(secrets.heartbeat_url) ? null : ago(130),
      failure: null,
    },
    alert: {
      host: hostOf(secrets.alert_url),
      lastOkAt: null,
      failure: isOff(secrets.alert_url)
        ? null
        : { at: ago(60), sentence: 'hooks.example.com answers with status 503.' },
      open: isOff(secrets.alert_url) ? 0 : 1,
      waiting: !isOff(secrets.alert_url),
    },
  }
}

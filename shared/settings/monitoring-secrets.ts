import type { MonitoringSettings } from './monitoring-settings.ts'

/**
 * The secrets in the monitoring settings. The URLs are secrets too, because anyone who knows them can post in the
 * station's name. Settings for display or export do not contain these secrets.
 */
export const monitoringSecretNames = ['token', 'heartbeat_url', 'alert_url'] as const
export type MonitoringSecretName = (typeof monitoringSecretNames)[number]
export type MonitoringSecrets = { readonly [N in MonitoringSecretName]?: string }

type WithMonitoring = { readonly monitoring: MonitoringSettings }

export const monitoringSecretsIn = ({ metrics, heartbeat_url, alert_url }: Partial<MonitoringSettings>) => ({
  ...(metrics?.token === undefined ? {} : { token: metrics.token }),
  ...(heartbeat_url === undefined ? {} : { heartbeat_url }),
  ...(alert_url === undefined ? {} : { alert_url }),
})

export const withoutMonitoringSecrets = <S extends WithMonitoring>(settings: S): S => {
  const { heartbeat_url: _heartbeat, alert_url: _alert, metrics, ...rest } = settings.monitoring
  if (metrics === undefined) return { ...settings, monitoring: rest }
  const { token: _token, ...listeningPlace } = metrics
  return { ...settings, monitoring: { ...rest, metrics: listeningPlace } }
}

/** Secrets in the settings override stored secrets. A token without a metrics address is dropped. */
export const withMonitoringSecrets = <S extends WithMonitoring>(
  settings: S,
  storedSecrets: MonitoringSecrets,
): S => {
  const { token, ...urls } = { ...storedSecrets, ...monitoringSecretsIn(settings.monitoring) }
  const { metrics } = settings.monitoring
  const metricsWithToken = metrics === undefined || token === undefined ? metrics : { ...metrics, token }
  return {
    ...settings,
    monitoring: {
      ...settings.monitoring,
      ...urls,
      ...(metricsWithToken === undefined ? {} : { metrics: metricsWithToken }),
    },
  }
}

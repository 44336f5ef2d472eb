import { withoutMonitoringSecrets } from './monitoring-secrets.ts'
import { withoutProxyCredentials } from './proxy-credentials.ts'
import type { DraftSettings } from './settings.ts'

/** Settings for export: without the key, the monitoring token and URLs, and the proxy's password. */
export const withoutSecrets = (given: DraftSettings): DraftSettings => {
  const settings = withoutProxyCredentials(withoutMonitoringSecrets(given))
  if (settings.service === undefined) return settings
  const { api_key: _key, ...service } = settings.service
  return { ...settings, service }
}

import { withoutMonitoringSecrets } from './monitoring-secrets.ts'
import { withoutProxyCredentials } from './proxy-credentials.ts'
import type { DraftSettings } from './settings.ts'

/** Settings for export: without the API key, the secrets of the monitoring, and the proxy's user name and password. */
export const withoutSecrets = (settings: DraftSettings): DraftSettings => {
  const result = withoutProxyCredentials(withoutMonitoringSecrets(settings))
  if (result.service === undefined) return result
  const { api_key: _key, ...service } = result.service
  return { ...result, service }
}

import { withoutMonitoringSecrets } from './monitoring-secrets.ts'
import { withoutProxyCredentials } from './proxy-credentials.ts'
import type { DraftSettings } from './settings.ts'

/** Settings for export: without the key, the monitoring token and URLs, and the proxy's password. */
export const withoutSecrets = (settings: DraftSettings): DraftSettings => {
  const result = withoutProxyCredentials(withoutMonitoringSecrets(settings))
  if (result.service === undefined) return result
  const { api_key: _key, ...service } = result.service
  return { ...result, service }
}

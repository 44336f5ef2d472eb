import { withoutMonitoringSecrets } from './monitoring-secrets.ts'
import type { DraftSettings } from './settings.ts'

/** Settings for export: without the key, the monitoring token and URLs, and the proxy's password. */
export const withoutSecrets = (given: DraftSettings): DraftSettings => {
  const settings = withoutMonitoringSecrets(given)
  if (settings.service === undefined) return settings
  const { api_key: _key, ...service } = settings.service
  if (!URL.canParse(service.proxy)) return { ...settings, service }
  const proxy = new URL(service.proxy)
  proxy.username = ''
  proxy.password = ''
  return { ...settings, service: { ...service, proxy: proxy.href } }
}

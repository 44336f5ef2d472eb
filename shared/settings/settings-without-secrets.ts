import { withoutMonitoringSecrets } from './monitoring-secrets.ts'
import type { DraftSettings } from './settings.ts'

/** For other stations and other eyes: without keys, tokens and URLs that are secrets, and the password of a proxy. */
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

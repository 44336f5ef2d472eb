import type { DraftSettings } from './settings.ts'

/** For other stations and other eyes: without the key, and without the password that the schema takes in a proxy. */
export const withoutSecrets = (settings: DraftSettings): DraftSettings => {
  if (settings.service === undefined) return settings
  const { api_key: _key, ...service } = settings.service
  if (!URL.canParse(service.proxy)) return { ...settings, service }
  const proxy = new URL(service.proxy)
  proxy.username = ''
  proxy.password = ''
  return { ...settings, service: { ...service, proxy: proxy.href } }
}

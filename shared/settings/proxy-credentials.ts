import type { DraftSettings } from './settings.ts'

export const hasProxyCredentials = (address: string): boolean => {
  const url = URL.canParse(address) ? new URL(address) : null
  return url !== null && (url.username !== '' || url.password !== '')
}

/** The address of a proxy without its user name and password. An address without them stays as it was typed. */
const withoutCredentials = (address: string): string => {
  if (!hasProxyCredentials(address)) return address
  const url = new URL(address)
  url.username = ''
  url.password = ''
  return url.href
}

export const withoutProxyCredentials = (settings: DraftSettings): DraftSettings => {
  const { service } = settings
  return service === undefined
    ? settings
    : { ...settings, service: { ...service, proxy: withoutCredentials(service.proxy) } }
}

/** Keeps the stored user name and password if the window sends the proxy address back unchanged. */
export const withStoredProxyCredentials = (
  settings: DraftSettings,
  { service: stored }: DraftSettings,
): DraftSettings => {
  const { service } = settings
  return service !== undefined && stored !== undefined && service.proxy === withoutCredentials(stored.proxy)
    ? { ...settings, service: { ...service, proxy: stored.proxy } }
    : settings
}

/** Hosts that a link in the window may open in the browser; everything else stays shut. */
const LINK_HOSTS: ReadonlySet<string> = new Set(['github.com'])

export const mayOpenExternally = (address: string): boolean => {
  if (!URL.canParse(address)) return false
  const url = new URL(address)
  return url.protocol === 'https:' && LINK_HOSTS.has(url.hostname)
}

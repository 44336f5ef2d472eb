const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname)

/**
 * Whether the host name means this PC, in any spelling: `localhost.`, `recorder.localhost`, or an IPv4 address inside
 * an IPv6 address.
 */
export const isThisPc = (hostname: string): boolean => {
  const host = hostname.toLowerCase().replace(/\.$/, '')
  return (
    isLoopback(host) || host.endsWith('.localhost') || /^\[::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}\]$/.test(host)
  )
}

/**
 * Whether the address is https, or http to `localhost` or a loopback IP address. False for an address with a user name
 * or a password, which is a mistake or an attack.
 */
export const isSafeAddress = (address: string): boolean => {
  if (!URL.canParse(address)) return false
  const url = new URL(address)
  if (url.username !== '' || url.password !== '') return false
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))
}

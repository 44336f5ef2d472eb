/** Takes a host as the URL class writes it. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '[::1]' || /^127(\.\d+){3}$/.test(host)

/** Takes an address as in the settings: an IPv6 address has no brackets. */
export const isLoopbackAddress = (address: string): boolean =>
  isLoopback(address) || isLoopback(`[${address.toLowerCase()}]`)

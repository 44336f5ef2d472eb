/** As the URL class writes it. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '[::1]' || /^127(\.\d+){3}$/.test(host)

/** The same of an address as settings write it. */
export const isLoopbackAddress = (address: string): boolean =>
  isLoopback(address) || isLoopback(`[${address.toLowerCase()}]`)

/** Takes a host as the `URL` class writes it, or as the settings name it: there, an IPv6 address has no brackets. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host)
}

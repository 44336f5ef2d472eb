/** Accepts an IPv6 address with brackets, as the `URL` class writes it, or without, as in the settings. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host)
}

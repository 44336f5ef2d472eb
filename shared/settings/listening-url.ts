/** "http://127.0.0.1:9464/metrics": what to type to reach a door of this PC. */
export const listeningUrl = (
  { address, port }: { readonly address: string; readonly port: number },
  path: string,
): string => `http://${address.includes(':') ? `[${address}]` : address}:${port}${path}`

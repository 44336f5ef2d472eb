/** "http://127.0.0.1:9464/metrics": the URL of a port that Sluice listens on. */
export const listeningUrl = (
  { address, port }: { readonly address: string; readonly port: number },
  path: string,
): string => `http://${address.includes(':') ? `[${address}]` : address}:${port}${path}`

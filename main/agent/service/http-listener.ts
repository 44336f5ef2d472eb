import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ListenResult } from '../ports/webhooks.ts'

const MAX_CONNECTIONS = 32
const MAX_HEADER_BYTES = 16 * 1024

export type ListenerTimeouts = {
  readonly headersMs: number
  readonly requestMs: number
  readonly checkIntervalMs: number
}

/** §6.2: the answer to an event is due within ten seconds, so longer waits are useless. */
const TIMEOUTS: ListenerTimeouts = { headersMs: 5_000, requestMs: 8_000, checkIntervalMs: 1_000 }

/** Closes the connection, because an idle one counts towards `MAX_CONNECTIONS`. */
export const answerStatus = (
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>> = {},
): void => {
  if (response.headersSent) return
  response.writeHead(status, { connection: 'close', 'content-length': 0, ...headers }).end()
}

/** Listens at an address of this PC, with short timeouts, small headers and few connections. */
export const openHttpListener = (
  { address, port }: { readonly address: string; readonly port: number },
  onRequest: (request: IncomingMessage, response: ServerResponse) => void,
  { headersMs, requestMs, checkIntervalMs }: ListenerTimeouts = TIMEOUTS,
): Promise<ListenResult> => {
  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      connectionsCheckingInterval: checkIntervalMs,
      keepAlive: false,
    },
    onRequest,
  )
  server.maxConnections = MAX_CONNECTIONS
  // Also drop clients that send a request and never read the answer.
  server.timeout = requestMs
  server.on('clientError', (_error, socket) => socket.destroy())
  return new Promise((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const reason = error.code === 'EADDRINUSE' ? 'port-taken' : 'address-missing'
      resolve({ ok: false, reason, detail: `${address}, port ${port}` })
    })
    server.listen(port, address, () => {
      // Ignore later errors, for example too many open files: the next connection may succeed.
      server.on('error', () => {})
      const close = () =>
        new Promise<void>((closed) => {
          server.close(() => closed())
          server.closeAllConnections()
        })
      resolve({ ok: true, listener: { address, port: (server.address() as AddressInfo).port, close } })
    })
  })
}

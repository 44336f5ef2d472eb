import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { OpenedDoor } from '../ports/webhooks.ts'

const MAX_CONNECTIONS = 32
const MAX_HEADER_BYTES = 16 * 1024
/** §6.2: the answer is due within ten seconds, so there is no use in a request that takes longer to arrive. */
const HEADERS_WITHIN_MS = 5_000
const REQUEST_WITHIN_MS = 8_000
const CHECK_MS = 1_000

/** Whoever knocks learns the status and nothing else. One request for each connection, so that none is held open. */
export const answerStatus = (
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>> = {},
): void => {
  if (response.headersSent) return
  response.writeHead(status, { connection: 'close', 'content-length': 0, ...headers }).end()
}

/** Listens at an address of this PC: short waits, small headers, few connections. */
export const openDoor = (
  { address, port }: { readonly address: string; readonly port: number },
  take: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<OpenedDoor> => {
  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: HEADERS_WITHIN_MS,
      requestTimeout: REQUEST_WITHIN_MS,
      connectionsCheckingInterval: CHECK_MS,
      keepAlive: false,
    },
    take,
  )
  server.maxConnections = MAX_CONNECTIONS
  // Whoever asks and does not read the answer holds a connection as well.
  server.timeout = REQUEST_WITHIN_MS
  server.on('clientError', (_error, socket) => socket.destroy())
  return new Promise((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const reason = error.code === 'EADDRINUSE' ? 'port-taken' : 'address-missing'
      resolve({ ok: false, reason, detail: `${address}, port ${port}` })
    })
    server.listen(port, address, () => {
      // Too many open files, for instance: the next connection may find room.
      server.on('error', () => {})
      const close = () =>
        new Promise<void>((closed) => {
          server.close(() => closed())
          server.closeAllConnections()
        })
      resolve({ ok: true, door: { address, port: (server.address() as AddressInfo).port, close } })
    })
  })
}

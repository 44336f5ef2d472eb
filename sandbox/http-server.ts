import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

/** An HTTP server with bounds on what a slow or broken client can cost. */
export function createPatientServer(clientTimeoutMs: number, listener: RequestListener): Server {
  const server = createServer(
    {
      headersTimeout: clientTimeoutMs,
      // How often Node looks for requests that are overdue.
      connectionsCheckingInterval: Math.min(1_000, clientTimeoutMs),
      // Longer than a client keeps an idle connection, so that it is never closed under a request just sent.
      keepAliveTimeout: 60_000,
      maxHeaderSize: 16 * 1024,
      highWaterMark: 256 * 1024,
    },
    listener,
  )
  server.requestTimeout = 0
  return server
}

export type RawAnswer = {
  readonly status: number
  readonly head: Readonly<Record<string, string>>
  readonly body: string
}

/** Node would answer a request it cannot parse with a bare status line; this gives it a proper body. */
export function refuseBrokenRequest(
  server: Server,
  answer: (problem: 'malformed' | 'too-slow') => RawAnswer,
): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
    const { status, head, body } = answer(
      error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 'too-slow' : 'malformed',
    )
    const lines = Object.entries({
      ...head,
      'Content-Length': String(Buffer.byteLength(body)),
      Connection: 'close',
    })
    const headText = lines.map(([name, text]) => `${name}: ${text}\r\n`).join('')
    socket.end(`HTTP/1.1 ${status} Bad Request\r\n${headText}\r\n${body}`, () => socket.destroy())
  })
}

/** Loopback only, always. */
export async function listen(server: Server, port: number): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject)
      resolve()
    })
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

export async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  server.closeAllConnections()
  await closed
}

import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

export type Timeouts = {
  /** For the head of a request. */
  readonly headMs: number
  /** For the whole request; 0 if a body may take hours. */
  readonly requestMs: number
}

/** Limits what a slow or broken client can cost. */
export function createBoundedServer({ headMs, requestMs }: Timeouts, listener: RequestListener): Server {
  return createServer(
    {
      headersTimeout: headMs,
      // Must be set with headersTimeout: Node refuses a head timeout above the default request timeout.
      requestTimeout: requestMs,
      // How often Node checks for overdue requests.
      connectionsCheckingInterval: Math.min(1_000, headMs),
      // Longer than clients keep idle connections, so the server never closes one just as a request arrives.
      keepAliveTimeout: 60_000,
      maxHeaderSize: 16 * 1024,
      highWaterMark: 256 * 1024,
    },
    listener,
  )
}

export type RawAnswer = {
  readonly status: number
  readonly head: Readonly<Record<string, string>>
  readonly body: string
}

/** Node answers an unparsable request with a bare status line; this adds a body. */
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

/** Always on loopback only. */
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

import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

export type Patience = {
  /** For a request's head. */
  readonly headMs: number
  /** For the whole request; 0 where a body may take hours. */
  readonly requestMs: number
}

/** An HTTP server with bounds on what a slow or broken client can cost. */
export function createPatientServer({ headMs, requestMs }: Patience, listener: RequestListener): Server {
  return createServer(
    {
      headersTimeout: headMs,
      // At once with the other: Node refuses a head that may take longer than its default for the whole.
      requestTimeout: requestMs,
      // How often Node looks for requests that are overdue.
      connectionsCheckingInterval: Math.min(1_000, headMs),
      // Longer than a client keeps an idle connection, so that it is never closed under a request just sent.
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

import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

export type Timeouts = {
  /** Timeout for the head of a request. */
  readonly headMs: number
  /** Timeout for the whole request. 0: no timeout, for a body that may take hours. */
  readonly requestMs: number
}

/** The server's own certificate, in PEM. */
export type Tls = { readonly cert: string; readonly key: string }

/** Limits the resources that a slow or broken client can use. */
export function createBoundedServer(
  { headMs, requestMs }: Timeouts,
  listener: RequestListener,
  tls: Tls | null = null,
): Server {
  const bounds = {
    headersTimeout: headMs,
    // Node throws if the head timeout is longer than the request timeout, so set both.
    requestTimeout: requestMs,
    // How often Node checks for overdue requests.
    connectionsCheckingInterval: Math.min(1_000, headMs),
    // Clients close idle connections earlier, so the server never closes one just as a request arrives.
    keepAliveTimeout: 60_000,
    maxHeaderSize: 16 * 1024,
    highWaterMark: 256 * 1024,
  }
  if (tls === null) return createServer(bounds, listener)
  // Load TLS only when it is used. Without the fix electron/electron#52856, Electron may crash if a process ends just
  // after loading TLS.
  const { createServer: createTlsServer } = process.getBuiltinModule('node:https')
  // Node has a different type for a TLS server. The callers use only what both types have.
  return createTlsServer({ ...bounds, ...tls }, listener) as unknown as Server
}

export type RawAnswer = {
  readonly status: number
  readonly head: Readonly<Record<string, string>>
  readonly body: string
}

/** Answers a malformed or too slow request with headers and a body. Node's default answer has no body. */
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

/** Listens on loopback unless a host is given. Returns the address. */
export async function listen(server: Server, port: number, host = '127.0.0.1'): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
  const scheme = 'setSecureContext' in server ? 'https' : 'http'
  const name = host.includes(':') ? `[${host}]` : host
  return `${scheme}://${name}:${(server.address() as AddressInfo).port}`
}

export async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  server.closeAllConnections()
  await closed
}

/**
 * Closes each connection after its next answer. Does not close idle connections at once, because a client may already
 * be sending a request.
 */
export function closeAfterAnswer(server: Server): void {
  const close = (_: IncomingMessage, response: ServerResponse) =>
    void response.setHeader('Connection', 'close')
  server.prependListener('request', close)
  server.prependListener('checkContinue', close)
}

/** How often the server closes idle connections while it drains. */
const drainStepMs = 100

/** Refuses new connections, waits at most `limitMs` for running requests, then cuts all connections. */
export async function drainServer(server: Server, limitMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  const idleTimer = setInterval(() => server.closeIdleConnections(), drainStepMs)
  const limitTimer = setTimeout(() => server.closeAllConnections(), limitMs)
  await closed
  clearInterval(idleTimer)
  clearTimeout(limitTimer)
}

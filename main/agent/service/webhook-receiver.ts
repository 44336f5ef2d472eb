import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type DeliveredEvent, verifyWebhook } from '../../../shared/verify-webhook.ts'
import { WEBHOOK_PATH } from '../../../shared/webhooks.ts'
import type { OpenWebhookDoor, WebhookDoorOptions } from '../ports.ts'

/** An event with a thousand issues fits; with all connections at once it is 16 MiB. */
const MAX_BODY_BYTES = 512 * 1024
const MAX_CONNECTIONS = 32
const MAX_HEADER_BYTES = 16 * 1024
/** §6.2: the answer is due within ten seconds, so there is no use in a request that takes longer to arrive. */
const HEADERS_WITHIN_MS = 5_000
const REQUEST_WITHIN_MS = 8_000
const CHECK_MS = 1_000
const LONGEST_ID = 255

/** Whoever knocks learns the status and nothing else. One request for each connection, so that none is held open. */
const answer = (response: ServerResponse, status: number): void => {
  if (response.headersSent) return
  response.writeHead(status, { connection: 'close', 'content-length': 0 }).end()
}

/** Null where there is more of it than an event can be. */
const readBody = (request: IncomingMessage): Promise<Buffer | null> => {
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) return Promise.resolve(null)
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > MAX_BODY_BYTES) {
        chunks.length = 0
        resolve(null)
      } else chunks.push(chunk)
    })
    request.on('end', () => resolve(Buffer.concat(chunks)))
    request.on('error', reject)
    // The sender left half-way.
    request.on('close', () => reject(new Error('cut off')))
  })
}

const sessionOf = ({ type, object }: DeliveredEvent): string | null => {
  const isSession = type.startsWith('session.') || object.object === 'session'
  const { id } = object
  return isSession && typeof id === 'string' && id !== '' && id.length <= LONGEST_ID ? id : null
}

const take = async (
  request: IncomingMessage,
  response: ServerResponse,
  options: WebhookDoorOptions,
): Promise<void> => {
  if (request.url?.split('?')[0] !== WEBHOOK_PATH) return answer(response, 404)
  if (request.method !== 'POST') return answer(response, 405)
  const header = request.headers['service-signature']
  const rawBody = await readBody(request)
  if (rawBody === null) {
    options.refused('too-large')
    return answer(response, 413)
  }
  const verified = verifyWebhook({
    rawBody,
    header: typeof header === 'string' ? header : null,
    secret: options.secrets(),
    nowMs: options.nowMs(),
  })
  if (!verified.ok) {
    options.refused(verified.reason)
    return answer(response, verified.reason === 'body-unreadable' ? 400 : 401)
  }
  const { event } = verified
  // In the journal before the answer: what is answered is never sent again. Not noted, it is (§6.2).
  const noted = options.note({ id: event.id, type: event.type, sessionId: sessionOf(event) })
  answer(response, noted ? 200 : 503)
}

/** Where events of the service come in: one path, small bodies, short waits, few connections, and no words. */
export const openWebhookDoor: OpenWebhookDoor = (options) => {
  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: HEADERS_WITHIN_MS,
      requestTimeout: REQUEST_WITHIN_MS,
      connectionsCheckingInterval: CHECK_MS,
      keepAlive: false,
    },
    // Only a sender that leaves half-way makes it fail, and nobody is left to answer.
    (request, response) => void take(request, response, options).catch(() => response.destroy()),
  )
  server.maxConnections = MAX_CONNECTIONS
  server.on('clientError', (_error, socket) => socket.destroy())
  return new Promise((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const code = error.code === 'EADDRINUSE' ? 'webhook-port-taken' : 'webhook-address-missing'
      resolve({ ok: false, code, detail: `${options.address}, port ${options.port}` })
    })
    server.listen(options.port, options.address, () => {
      // Too many open files, for instance: the next connection may find room.
      server.on('error', () => {})
      const { port } = server.address() as AddressInfo
      const close = () =>
        new Promise<void>((closed) => {
          server.close(() => closed())
          server.closeAllConnections()
        })
      resolve({ ok: true, door: { address: options.address, port, close } })
    })
  })
}

import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { WebhookEvent } from '../../shared/contract/control-api.ts'
import type { TestCertificate } from '../support/certificate.ts'

export type Delivery = {
  readonly method: string
  readonly headers: IncomingHttpHeaders
  readonly raw: Buffer
  readonly event: WebhookEvent
}

/** The answer to the nth delivery, counted from 0; 'never' sends no answer. */
export type Reaction = (n: number) => number | 'never'

export type Receiver = {
  readonly url: string
  readonly deliveries: readonly Delivery[]
  /** The number of TLS handshakes that failed, because the sender did not trust the certificate. */
  readonly failedHandshakes: () => number
  /** Resolves once this many deliveries have arrived. */
  waitForDeliveries(count: number): Promise<void>
  close(): Promise<void>
}

/** Starts a receiver of webhooks. With a certificate, it uses https. */
export async function startWebhookReceiver(
  react: Reaction = () => 204,
  certificate?: TestCertificate,
): Promise<Receiver> {
  const deliveries: Delivery[] = []
  const arrivals = new EventTarget()
  let failedHandshakes = 0
  const listener: RequestListener = (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const raw = Buffer.concat(chunks)
      const reaction = react(deliveries.length)
      deliveries.push({
        method: request.method!,
        headers: request.headers,
        raw,
        event: JSON.parse(raw.toString()),
      })
      if (reaction !== 'never') response.writeHead(reaction).end()
      arrivals.dispatchEvent(new Event('arrival'))
    })
  }
  const server =
    certificate === undefined ? createServer(listener) : createSecureServer(certificate, listener)
  server.on('tlsClientError', () => {
    failedHandshakes += 1
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `${certificate === undefined ? 'http' : 'https'}://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    deliveries,
    failedHandshakes: () => failedHandshakes,
    async waitForDeliveries(count) {
      while (deliveries.length < count) await once(arrivals, 'arrival')
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

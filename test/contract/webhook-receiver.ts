import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { WebhookEvent } from '../../shared/control-api.ts'

export type Delivery = {
  readonly headers: IncomingHttpHeaders
  readonly raw: Buffer
  readonly event: WebhookEvent
}

/** How to answer the nth delivery, counted from 0; 'never' keeps the sender waiting. */
export type Reaction = (n: number) => number | 'never'

export type Receiver = {
  readonly url: string
  readonly deliveries: readonly Delivery[]
  /** Resolves once that many deliveries have arrived. */
  arrived(count: number): Promise<void>
  close(): Promise<void>
}

export async function receiver(react: Reaction = () => 204): Promise<Receiver> {
  const deliveries: Delivery[] = []
  const arrivals = new EventTarget()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const raw = Buffer.concat(chunks)
      const reaction = react(deliveries.length)
      deliveries.push({ headers: request.headers, raw, event: JSON.parse(raw.toString()) })
      if (reaction !== 'never') response.writeHead(reaction).end()
      arrivals.dispatchEvent(new Event('arrival'))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    deliveries,
    async arrived(count) {
      while (deliveries.length < count) await once(arrivals, 'arrival')
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

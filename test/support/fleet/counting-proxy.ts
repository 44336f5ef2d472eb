import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pipeline } from 'node:stream/promises'

/** A proxy in front of the service for one station. It counts the requests of this station only. */
export class CountingProxy {
  readonly baseUrl: string
  requests = 0
  readonly #server: Server

  private constructor(server: Server) {
    this.#server = server
    this.baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  static async startFor(target: string): Promise<CountingProxy> {
    let count = () => {}
    const server = createServer((incoming, outgoing) => {
      count()
      const { host: _, ...headers } = incoming.headers
      const upstream = request(new URL(incoming.url ?? '/', target), { method: incoming.method, headers })
      upstream.on('response', (answer) => {
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers)
        pipeline(answer, outgoing).catch(() => outgoing.destroy())
      })
      upstream.on('error', () => outgoing.destroy())
      pipeline(incoming, upstream).catch(() => upstream.destroy())
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const proxy = new CountingProxy(server)
    count = () => {
      proxy.requests += 1
    }
    return proxy
  }

  close(): Promise<void> {
    this.#server.closeAllConnections()
    return new Promise((resolve) => this.#server.close(() => resolve()))
  }
}

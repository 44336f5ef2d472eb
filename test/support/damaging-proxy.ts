import { createServer, type IncomingMessage, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Changes the service's answer to the creation of a session: its content type and its body. */
export type Damage = (body: string) => { readonly type: string; readonly body: string }

const read = async (message: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = []
  for await (const chunk of message) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/**
 * A proxy before a sandbox that damages the answers about some files only, so that a test can check whether the
 * others continue.
 */
export class DamagingProxy {
  readonly baseUrl: string
  readonly #server: Server

  private constructor(server: Server) {
    this.#server = server
    this.baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  /** `damageByFile` maps file names to the damage of their answers. */
  static async inFrontOf(
    target: string,
    damageByFile: Readonly<Record<string, Damage>>,
  ): Promise<DamagingProxy> {
    const server = createServer(async (incoming, outgoing) => {
      const body = await read(incoming)
      const { host: _host, 'content-length': _length, ...headers } = incoming.headers
      const options = { method: incoming.method ?? 'GET', headers }
      const onward = request(new URL(incoming.url ?? '/', target), options, async (answer) => {
        const text = (await read(answer)).toString()
        const requested = incoming.method === 'POST' && body.length > 0 ? JSON.parse(body.toString()) : {}
        const damage = damageByFile[requested.filename as string]
        const { type, body: answered } =
          damage === undefined ? { type: 'application/json', body: text } : damage(text)
        const { 'content-length': _old, ...kept } = answer.headers
        outgoing.writeHead(answer.statusCode ?? 500, { ...kept, 'content-type': type }).end(answered)
      })
      onward.on('error', () => outgoing.destroy())
      onward.end(body)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return new DamagingProxy(server)
  }

  close(): Promise<void> {
    this.#server.closeAllConnections()
    return new Promise((resolve) => this.#server.close(() => resolve()))
  }
}

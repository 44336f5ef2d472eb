import { createServer, type IncomingMessage, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Changes the service's answer to the creation of a session: its content type and its body. */
export type Damage = (body: string) => { readonly type: string; readonly body: string }

const readBody = async (message: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = []
  for await (const chunk of message) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/**
 * A proxy in front of a sandbox. It damages the answers for some files, so that a test can check that the others still
 * arrive.
 */
export class DamagingProxy {
  readonly baseUrl: string
  readonly #server: Server

  private constructor(server: Server) {
    this.#server = server
    this.baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  /** `damageByFile` maps file names to the damage of their answers. */
  static async startFor(
    target: string,
    damageByFile: Readonly<Record<string, Damage>>,
  ): Promise<DamagingProxy> {
    const server = createServer(async (incoming, outgoing) => {
      const body = await readBody(incoming)
      const { host: _host, 'content-length': _length, ...headers } = incoming.headers
      const options = { method: incoming.method ?? 'GET', headers }
      const upstream = request(new URL(incoming.url ?? '/', target), options, async (answer) => {
        const text = (await readBody(answer)).toString()
        const requestBody = incoming.method === 'POST' && body.length > 0 ? JSON.parse(body.toString()) : {}
        const damage = damageByFile[requestBody.filename as string]
        const { type, body: answerBody } =
          damage === undefined ? { type: 'application/json', body: text } : damage(text)
        const { 'content-length': _old, ...otherHeaders } = answer.headers
        outgoing
          .writeHead(answer.statusCode ?? 500, { ...otherHeaders, 'content-type': type })
          .end(answerBody)
      })
      upstream.on('error', () => outgoing.destroy())
      upstream.end(body)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return new DamagingProxy(server)
  }

  close(): Promise<void> {
    this.#server.closeAllConnections()
    return new Promise((resolve) => this.#server.close(() => resolve()))
  }
}

import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

export type ReceivedMessage = {
  readonly method: string
  readonly path: string
  readonly id: string | null
  readonly type: string | null
  readonly body: string
}

/** The answer to each message: a status, a redirect, or none. */
export type ReceiverAnswer =
  | { readonly status: number }
  | { readonly redirectTo: string }
  | { readonly never: true }

const readBody = async (request: IncomingMessage): Promise<string> => {
  let body = ''
  for await (const chunk of request) body += String(chunk)
  return body
}

/** A receiver of alerts and heartbeats. It keeps every message and sends the answer that the test has set. */
export class Receiver {
  readonly messages: ReceivedMessage[] = []
  answer: ReceiverAnswer = { status: 200 }
  readonly #server: Server

  private constructor(server: Server) {
    this.#server = server
    server.on('request', async (request: IncomingMessage, response) => {
      const { answer } = this
      const body = await readBody(request).catch(() => '')
      this.messages.push({
        method: request.method ?? '',
        path: request.url ?? '',
        id: (request.headers['idempotency-key'] as string | undefined) ?? null,
        type: request.headers['content-type'] ?? null,
        body,
      })
      if ('never' in answer) return
      if ('redirectTo' in answer) response.writeHead(307, { location: answer.redirectTo }).end()
      else response.writeHead(answer.status).end()
    })
  }

  static async open(): Promise<Receiver> {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new Receiver(server)
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  close(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }
}

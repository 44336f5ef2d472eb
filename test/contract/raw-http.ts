import { Agent, type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http'
import { connect } from 'node:net'

export type RawAnswer = {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** The text as JSON. Throws if it is not JSON. */
  json(): Record<string, unknown>
}

export type RawRequest = {
  readonly method: string
  readonly url: string
  readonly headers?: OutgoingHttpHeaders
  readonly body?: Buffer | string
}

/** Sends one request over node:http, its body byte for byte. Rejects if the connection breaks. */
export function send({ method, url, headers = {}, body }: RawRequest, agent?: Agent): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const bytes = body === undefined ? undefined : Buffer.from(body)
    const lengthHeader =
      bytes === undefined || 'transfer-encoding' in headers ? {} : { 'content-length': bytes.length }
    const options = {
      method,
      headers: { ...lengthHeader, ...headers },
      ...(agent === undefined ? {} : { agent }),
    }
    const outgoing = request(url, options, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString()
        resolve({
          status: response.statusCode!,
          headers: response.headers,
          text,
          json: () => JSON.parse(text),
        })
      })
    })
    outgoing.on('error', reject)
    outgoing.end(bytes)
  })
}

/** Writes raw text to a socket and returns everything that arrives until the other side closes. */
export function exchange(url: string, text: string | Buffer): Promise<string> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(text))
    let answer = ''
    socket.on('data', (chunk) => {
      answer += chunk.toString()
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(answer))
  })
}

/** A pool of at most `maxSockets` connections, for tests that start hundreds of requests at the same time. */
export function pool(maxSockets: number): Agent {
  return new Agent({ keepAlive: true, maxSockets })
}

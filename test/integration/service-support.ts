import { once } from 'node:events'
import http from 'node:http'
import net from 'node:net'
import { onTestFinished } from 'vitest'
import type { Outcome } from '../../main/agent/domain/failure.ts'
import type { Log } from '../../main/agent/ports/clock.ts'
import type { PartToSend } from '../../main/agent/ports/service.ts'
import { createServiceClient, type ServiceClientOptions } from '../../main/agent/service/client.ts'
import { systemClock } from '../../shared/clock/clock.ts'

export const KEY = 'svc_test_0123456789secret'
export const SIGNATURE = 'X-Amz-Signature=deadbeefcafe&X-Amz-Expires=900'

const portOf = (server: net.Server) => (server.address() as net.AddressInfo).port

export const listen = async (server: net.Server): Promise<number> => {
  const sockets = new Set<net.Socket>()
  server.on('connection', (socket: net.Socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return portOf(server)
}

export const httpServer = async (handler: http.RequestListener): Promise<string> =>
  `http://127.0.0.1:${await listen(http.createServer(handler))}`

/** A TCP server, for answers that an HTTP library would not send. */
export const rawServer = async (onConnection: (socket: net.Socket) => void): Promise<string> =>
  `http://127.0.0.1:${await listen(net.createServer(onConnection))}`

export const answer = (
  response: http.ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
) => {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const type = typeof body === 'string' ? 'text/html' : 'application/json'
  response.writeHead(status, { 'content-type': type, 'request-id': 'req_1', ...headers }).end(text)
}

export const errorAnswer = (code: string, message = 'no') => ({
  error: { type: 'x', code, message, request_id: 'req_1' },
})

export type CollectedLog = { readonly log: Log; readonly lines: string[] }

export const collectLog = (): CollectedLog => {
  const lines: string[] = []
  const add = (message: string, facts?: unknown) => void lines.push(JSON.stringify({ message, facts }))
  return { lines, log: { info: add, warn: add, error: add } }
}

export const clientFor = (baseUrl: string, overrides: Partial<ServiceClientOptions> = {}) => {
  const client = createServiceClient({
    baseUrl,
    apiKey: KEY,
    checksumHeader: 'x-amz-checksum-sha256',
    proxy: { kind: 'none' },
    clock: systemClock,
    random: () => 0,
    log: collectLog().log,
    ...overrides,
  })
  onTestFinished(() => client.close())
  return client
}

export const never = (): AbortSignal => new AbortController().signal

export const partFor = (base: string, overrides: Partial<PartToSend> = {}): PartToSend => {
  const sizeBytes = overrides.sizeBytes ?? 4 * 1024 * 1024
  return {
    url: `${base}/bucket/part?${SIGNATURE}`,
    sizeBytes,
    sha256Base64: 'c2hhMjU2',
    body: async function* () {
      for (let sentBytes = 0; sentBytes < sizeBytes; sentBytes += 262_144) {
        yield new Uint8Array(Math.min(262_144, sizeBytes - sentBytes))
      }
    },
    onProgress: () => {},
    signal: never(),
    ...overrides,
  }
}

export const failureOf = (outcome: Outcome<unknown>) => {
  if (outcome.ok) throw new Error(`expected a failure, got ${JSON.stringify(outcome.value)}`)
  return outcome.failure
}

/** An error body as storages send it. */
export const xml = (code: string, message = 'no') =>
  `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`

/** A storage that reads the whole body before it answers. */
export const storage = (respond: (response: http.ServerResponse, bytes: number) => void) =>
  httpServer((request, response) => {
    let bytes = 0
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length
    })
    request.on('end', () => respond(response, bytes))
  })

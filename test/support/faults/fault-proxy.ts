import { once } from 'node:events'
import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import https from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SandboxProcess } from '../sandbox-process.ts'
import { type ListenerName, type RecordedRequest, recordRequest } from './recorded-request.ts'
import { Trickle } from './trickle.ts'

/** The effect of a fault on a request. */
export type Effect =
  /** The proxy itself answers, and the service gets nothing. */
  | {
      readonly kind: 'answer'
      readonly status: number
      readonly headers?: Readonly<Record<string, string>>
      readonly body?: string
    }
  /** The service processes the request, but the answer never arrives. */
  | { readonly kind: 'lose' }
  /** The service processes the request, but the ETag of the answer is wrong or missing. */
  | { readonly kind: 'etag'; readonly etag: string | null }
  /** The proxy waits before it passes the request on. */
  | { readonly kind: 'delay'; readonly ms: number }
  /** The proxy neither reads nor answers the request. When the rule changes, the proxy drops the connection. */
  | { readonly kind: 'hang' }
  /** Sends one byte per second, of a part or of the answer to a call, until the rule changes. */
  | { readonly kind: 'byte-a-second' }

export type Rule = (recorded: RecordedRequest) => Effect | null

export type ProxyAddress = {
  /** The host name that clients use. The certificate must match it. */
  readonly host?: string
  readonly address?: string
  readonly tls?: { readonly cert: string; readonly key: string }
}

const ignore = () => {}

/** A proxy in front of both addresses of a sandbox. It records every request and applies the current rule. */
export class FaultProxy {
  readonly requests: RecordedRequest[] = []
  /** Signatures of the issued URLs. None may appear in a log. */
  readonly signatures = new Set<string>()
  /** Called when the agent sends a part again although it already has the ETag of the part. */
  onResent: (recorded: RecordedRequest) => void = ignore
  readonly #sandbox: SandboxProcess
  readonly #where: ProxyAddress
  readonly #servers: Record<ListenerName, http.Server>
  readonly #ports = { control: 0, storage: 0 }
  readonly #releases = new Set<() => void>()
  readonly #acknowledgedParts = new Set<string>()
  #rule: Rule = () => null

  private constructor(sandbox: SandboxProcess, where: ProxyAddress) {
    this.#sandbox = sandbox
    this.#where = where
    this.#servers = { control: this.#serve('control'), storage: this.#serve('storage') }
  }

  static async startFor(sandbox: SandboxProcess, where: ProxyAddress = {}): Promise<FaultProxy> {
    const proxy = new FaultProxy(sandbox, where)
    await proxy.open('control')
    await proxy.open('storage')
    return proxy
  }

  get baseUrl(): string {
    return this.#origin('control')
  }

  /** Sets the rule for new requests. Drops requests that hang under the previous rule, and ends all throttling. */
  set rule(rule: Rule) {
    this.#rule = rule
    for (const release of this.#releases) release()
    this.#releases.clear()
  }

  count(match: (recorded: RecordedRequest) => boolean = () => true): number {
    return this.requests.filter(match).length
  }

  async open(listener: ListenerName): Promise<void> {
    const server = this.#servers[listener]
    if (server.listening) return
    server.listen(this.#ports[listener], this.#where.address ?? '127.0.0.1')
    await once(server, 'listening')
    this.#ports[listener] = (server.address() as AddressInfo).port
  }

  /** Stops listening, so that the system itself refuses connections. */
  async close(listener: ListenerName): Promise<void> {
    const server = this.#servers[listener]
    if (!server.listening) return
    const closing = once(server, 'close')
    server.close()
    server.closeAllConnections()
    await closing
  }

  async end(): Promise<void> {
    this.rule = () => null
    await this.close('control')
    await this.close('storage')
  }

  #origin(listener: ListenerName): string {
    const scheme = this.#where.tls === undefined ? 'http' : 'https'
    return `${scheme}://${this.#where.host ?? '127.0.0.1'}:${this.#ports[listener]}`
  }

  #serve(listener: ListenerName): http.Server {
    const handle = (request: IncomingMessage, response: ServerResponse) => {
      // If a test kills a client, its connections break. This is no error of the proxy.
      request.on('error', ignore)
      response.on('error', ignore)
      void this.#handle(listener, request, response).catch(() => response.destroy())
    }
    const { tls } = this.#where
    const server = tls === undefined ? http.createServer(handle) : https.createServer({ ...tls }, handle)
    server.on('tlsClientError', ignore)
    server.on('connection', (socket: Socket) => socket.on('error', ignore))
    return server
  }

  async #handle(listener: ListenerName, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const recorded = recordRequest(listener, request.method ?? '', request.url ?? '/')
    this.requests.push(recorded)
    const part = recorded.part === null ? null : `${recorded.session}/${recorded.part}`
    if (part !== null && this.#acknowledgedParts.has(part)) this.onResent(recorded)
    const effect = this.#rule(recorded)
    switch (effect?.kind) {
      case 'answer':
        request.resume()
        recorded.status = effect.status
        response.writeHead(effect.status, { 'content-type': 'text/html', ...effect.headers }).end(effect.body)
        return
      case 'hang':
        this.#releases.add(() => response.destroy())
        return
      case 'delay':
        await sleep(effect.ms)
    }
    const trickle = effect?.kind === 'byte-a-second' ? new Trickle() : null
    if (trickle !== null) this.#releases.add(() => trickle.release())
    const answer = await this.#forward(listener, request, listener === 'storage' ? trickle : null)
    if (effect?.kind === 'lose' || response.destroyed) return void response.destroy()
    if (effect?.kind === 'etag') {
      delete answer.headers.etag
      if (effect.etag !== null) answer.headers.etag = effect.etag
    }
    recorded.status = answer.status
    const isAcknowledged = part !== null && answer.status === 200 && effect?.kind !== 'etag'
    response.on('finish', () => {
      recorded.acknowledged = isAcknowledged
      if (isAcknowledged) this.#acknowledgedParts.add(part)
    })
    response.writeHead(answer.status, answer.headers)
    if (trickle !== null && listener === 'control') {
      trickle.pipe(response)
      trickle.end(answer.body)
    } else response.end(answer.body)
  }

  async #forward(listener: ListenerName, request: IncomingMessage, trickle: Trickle | null) {
    const target = listener === 'control' ? this.#sandbox.baseUrl : this.#sandbox.uploadUrl
    const { host: _host, connection: _connection, ...headers } = request.headers
    const upstream = http.request(new URL(request.url ?? '/', target), {
      method: request.method ?? 'GET',
      headers,
      agent: false,
    })
    request.on('aborted', () => upstream.destroy())
    const requestBody = trickle === null ? request : request.pipe(trickle)
    requestBody.pipe(upstream)
    const [upstreamAnswer] = (await once(upstream, 'response')) as [IncomingMessage]
    upstream.on('error', ignore)
    const chunks: Buffer[] = []
    for await (const chunk of upstreamAnswer) chunks.push(chunk as Buffer)
    const body = this.#replacePartUrls(Buffer.concat(chunks).toString())
    const { 'content-length': _length, connection: _close, ...otherHeaders } = upstreamAnswer.headers
    return {
      status: upstreamAnswer.statusCode ?? 502,
      headers: { ...otherHeaders, 'content-length': String(Buffer.byteLength(body)) } as Record<
        string,
        string | string[]
      >,
      body,
    }
  }

  /** Replaces the part URLs, so that parts use this proxy too, and collects their signatures. */
  #replacePartUrls(body: string): string {
    for (const [, signature = ''] of body.matchAll(/X-Amz-Signature=([0-9a-f]{64})/g))
      this.signatures.add(signature)
    return body.replaceAll(this.#sandbox.uploadUrl, this.#origin('storage'))
  }
}

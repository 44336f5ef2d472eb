import http, { type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { type Answer, newId, refusal, type ServiceError } from './answer.ts'
import { applyEffect } from './fault-effects.ts'
import type { FaultRules } from './fault-rules.ts'
import type { ListenerName, LoggedRequest, RequestLog } from './request-log.ts'

export type Incoming = {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  readonly idempotencyKey: string | null
  readonly body: Buffer
  readonly requestId: string
  json(): Readonly<Record<string, unknown>>
  /** Turns a refusal into the answer to this request. */
  finish(answer: Answer | ServiceError): Answer
}

export type About = { readonly filename: string | null; readonly completed: boolean }

export type ListenerOptions = {
  readonly on: ListenerName
  readonly log: RequestLog
  readonly faults: FaultRules
  /** The session of a request, and its progress. */
  readonly about: (path: string, body: Readonly<Record<string, unknown>>) => About
  readonly handle: (request: Incoming) => Promise<Answer | ServiceError>
}

const requestsPerMinute = 6000

/** One listener: logs every request when it begins, and sends its fault or its answer. */
export const createListener = (parts: ListenerOptions): http.Server =>
  http.createServer((request, response) => {
    // A killed client is not an error of the service.
    request.on('error', () => {})
    response.on('error', () => {})
    void serve(parts, request, response).catch(() => response.destroy())
  })

const serve = async (
  parts: ListenerOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  const url = new URL(request.url ?? '/', 'http://service')
  const key = request.headers['idempotency-key']
  const requestId = newId('req')
  const logged = parts.log.begin({
    on: parts.on,
    method: request.method ?? '',
    path: url.pathname,
    idempotencyKey: typeof key === 'string' ? key : null,
    requestId,
  })
  // The fault of a part is chosen before its bytes arrive. The fault of a call depends on its body.
  const early = parts.on === 'storage'
  const nothing = Buffer.alloc(0)
  const body = early ? nothing : await readAll(request)
  const fields = objectOf(body)
  Object.assign(logged, parts.about(url.pathname, fields))
  const effect = parts.faults.take({
    on: parts.on,
    method: logged.method,
    path: logged.path,
    filename: logged.filename,
    body: fields,
  })
  const finish = (answer: Answer | ServiceError): Answer =>
    'type' in answer ? refusal(answer, requestId) : answer
  const ordinary = async (): Promise<Answer> =>
    finish(
      await parts.handle({
        method: logged.method,
        path: url.pathname,
        query: url.searchParams,
        headers: request.headers,
        idempotencyKey: logged.idempotencyKey,
        body: early ? await readAll(request) : body,
        requestId,
        json: () => fields,
        finish,
      }),
    )
  const answer =
    effect === null
      ? await ordinary()
      : await applyEffect(effect, { request, response, ordinary, finish, faults: parts.faults })
  if (answer === null || response.destroyed) return
  send(answer, response, logged)
}

const send = (answer: Answer, response: ServerResponse, logged: LoggedRequest): void => {
  const second = Math.floor(Date.now() / 1000)
  const own = {
    'Request-Id': logged.requestId,
    'RateLimit-Limit': String(requestsPerMinute),
    'RateLimit-Remaining': String(requestsPerMinute - 1),
    'RateLimit-Reset': String(60 - (second % 60)),
  }
  logged.status = answer.status
  logged.answeredAt = Date.now()
  response.writeHead(answer.status, {
    ...(answer.gateway === true ? {} : own),
    ...answer.headers,
    'content-length': String(Buffer.byteLength(answer.body)),
  })
  response.end(answer.body)
}

const readAll = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

const objectOf = (body: Buffer): Readonly<Record<string, unknown>> => {
  try {
    const value: unknown = JSON.parse(body.toString())
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}

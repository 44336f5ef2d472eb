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

export type SessionInfo = { readonly filename: string | null; readonly completed: boolean }

export type ListenerOptions = {
  readonly on: ListenerName
  readonly log: RequestLog
  readonly faults: FaultRules
  /** The file name of the request's session, and whether the completion of the session has begun. */
  readonly sessionInfoOf: (path: string, body: Readonly<Record<string, unknown>>) => SessionInfo
  readonly handle: (request: Incoming) => Promise<Answer | ServiceError>
}

const requestsPerMinute = 6000

/** Logs every request when it begins, then answers it or applies a fault. */
export const createListener = (options: ListenerOptions): http.Server =>
  http.createServer((request, response) => {
    // A killed client is not an error of the service.
    request.on('error', () => {})
    response.on('error', () => {})
    void serve(options, request, response).catch(() => response.destroy())
  })

const serve = async (
  options: ListenerOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  const url = new URL(request.url ?? '/', 'http://service')
  const key = request.headers['idempotency-key']
  const requestId = newId('req')
  const logEntry = options.log.begin({
    on: options.on,
    method: request.method ?? '',
    path: url.pathname,
    idempotencyKey: typeof key === 'string' ? key : null,
    requestId,
  })
  // For a part, the listener chooses a fault before the bytes arrive. For a call, it reads the body first, because the
  // choice may depend on the body.
  const isPart = options.on === 'storage'
  const body = isPart ? Buffer.alloc(0) : await readAll(request)
  const fields = parseObject(body)
  Object.assign(logEntry, options.sessionInfoOf(url.pathname, fields))
  const effect = options.faults.take({
    on: options.on,
    method: logEntry.method,
    path: logEntry.path,
    filename: logEntry.filename,
    body: fields,
  })
  const finish = (answer: Answer | ServiceError): Answer =>
    'type' in answer ? refusal(answer, requestId) : answer
  const answerNormally = async (): Promise<Answer> =>
    finish(
      await options.handle({
        method: logEntry.method,
        path: url.pathname,
        query: url.searchParams,
        headers: request.headers,
        idempotencyKey: logEntry.idempotencyKey,
        body: isPart ? await readAll(request) : body,
        requestId,
        json: () => fields,
        finish,
      }),
    )
  const answer =
    effect === null
      ? await answerNormally()
      : await applyEffect(effect, { request, response, answerNormally, finish, faults: options.faults })
  if (answer === null || response.destroyed) return
  send(answer, response, logEntry)
}

const send = (answer: Answer, response: ServerResponse, logEntry: LoggedRequest): void => {
  const second = Math.floor(Date.now() / 1000)
  const serviceHeaders = {
    'Request-Id': logEntry.requestId,
    'RateLimit-Limit': String(requestsPerMinute),
    'RateLimit-Remaining': String(requestsPerMinute - 1),
    'RateLimit-Reset': String(60 - (second % 60)),
  }
  logEntry.status = answer.status
  logEntry.answeredAt = Date.now()
  response.writeHead(answer.status, {
    ...(answer.isFromGateway === true ? {} : serviceHeaders),
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

const parseObject = (body: Buffer): Readonly<Record<string, unknown>> => {
  try {
    const value: unknown = JSON.parse(body.toString())
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}

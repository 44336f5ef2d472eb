import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { forbidden, invalid, notFound, type Outcome, rateLimited, serverError } from '../answer.ts'
import type { ServiceContext } from '../context.ts'
import type { ControlHook } from '../hooks.ts'
import { createBoundedServer, refuseBrokenRequest } from '../http-server.ts'
import type { KeyRow } from '../store/keys.ts'
import type { Steps } from '../store/steps.ts'
import { authenticate } from './authenticate.ts'
import {
  checkIdempotencyKey,
  fingerprintOf,
  IdempotencyKeys,
  IdempotencyKeyTaken,
  RefusalNotStored,
} from './idempotency.ts'
import { type JsonBody, readJsonBody } from './json-body.ts'
import type { LabPage } from './lab-page.ts'
import { RateLimiter, type RateState } from './rate-limit.ts'
import { findRoute, type Route } from './routes.ts'
import { answerBody, answerHead, answerStatus, sendText } from './send-answer.ts'

/** Requests without a valid key share one rate limit, so that they do not use up the limit of a valid key. */
const anonymous = ''

/** `page`: null in the sandbox, and if the page was not built. */
export function createControlServer(context: ServiceContext, page: LabPage | null): Server {
  const api = new ControlApi(context, page?.routes ?? [])
  const { clientTimeoutMs } = context.limits
  const timeouts = { headMs: clientTimeoutMs, requestMs: clientTimeoutMs }
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    if (context.answerProbe(request, response)) return
    if (page?.answer(context, request, response)) return
    api.handle(request, response).catch((error: unknown) => {
      // After an error outside `reply`, there is no answer to send.
      context.log(`request failed: ${String(error)}`)
      request.socket.destroy()
    })
  }
  const server = createBoundedServer(timeouts, listener, context.tls)
  refuseBrokenRequest(server, (problem) => api.answerBrokenRequest(problem))
  return server
}

type Reply = { readonly outcome: Outcome; readonly requestId: string }

class ControlApi {
  readonly #context: ServiceContext
  readonly #pageRoutes: readonly Route[]
  readonly #rates: RateLimiter
  readonly #idempotency: IdempotencyKeys

  constructor(context: ServiceContext, pageRoutes: readonly Route[]) {
    this.#context = context
    this.#pageRoutes = pageRoutes
    this.#rates = new RateLimiter(context.limits.requestsPerMinute, context.store.rates, () =>
      context.clock.now(),
    )
    this.#idempotency = new IdempotencyKeys(context.store, context.signer, () => context.clock.now())
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { context } = this
    const refusalReason = context.refuseCaller(request)
    if (refusalReason !== null) return this.#refuseCaller(request, response, refusalReason)
    const startedAt = performance.now()
    // Read the address now, because a closed socket no longer has it.
    const client = context.clientOf(request)
    const [path = '', query = ''] = splitTarget(request.url ?? '')
    const match = findRoute(request.method ?? '', path, this.#pageRoutes)
    const routeName = match?.route.name ?? 'unknown'
    const hook = context.hooks.control(routeName)
    if (!(await hook.begin(request))) return

    const requestId = context.makeId('req')
    let rate = this.#rates.uncounted()
    const reply = async (): Promise<Reply | null> => {
      const replyWith = (outcome: Outcome): Reply => ({ outcome, requestId })
      const key = await authenticate(context.store, request.headers.authorization)
      rate = await this.#rates.count(key.kind === 'value' ? key.value.key : anonymous)
      if (hook.refusal !== null) return replyWith(hook.refusal)
      if (key.kind === 'refusal') return replyWith(rate.isExceeded ? rateLimited(rate.resetS) : key)
      if (rate.isExceeded) return replyWith(rateLimited(rate.resetS))
      if (match === null) return replyWith(notFound('route_not_found', 'There is nothing at this address.'))
      const { route, id } = match
      if (route.needsWrite && key.value.can_write === 0) {
        return replyWith(forbidden('write_required', 'This key may only read.'))
      }
      const body = await this.#readBody(request, route)
      if (body === null) return null
      if ('kind' in body) return replyWith(body)
      if (hook.dropsBody) return null
      return this.#run(route, requestId, {
        context,
        key: key.value,
        id,
        query: new URLSearchParams(query),
        body,
        urlsSignedAtMs: hook.signedAtMs(context.clock.now(), context.limits.urlLifetimeS),
        idempotencyKey: request.headers['idempotency-key']?.toString(),
        target: `${request.method} ${path}`,
      })
    }
    const result = await reply().catch((error: unknown): Reply => {
      context.log(`${requestId} failed: ${error instanceof Error ? error.stack : String(error)}`)
      return { outcome: serverError(), requestId }
    })
    if (result === null) request.socket.destroy()
    else this.#send(request, response, result, rate, hook)
    const status = result === null ? 'aborted' : answerStatus(result.outcome)
    const ms = Math.round(performance.now() - startedAt)
    context.metrics.countRequest(routeName, status, ms / 1000)
    const method = request.method ?? ''
    const fields = { method, path, status, duration_ms: ms, client, request_id: requestId }
    context.log(`${method} ${path} ${status} ${ms} ms ${requestId}`, fields)
  }

  /** Counts nothing and simulates no fault, because this caller is not a client of the service. */
  #refuseCaller(request: IncomingMessage, response: ServerResponse, message: string): void {
    const requestId = this.context.makeId('req')
    const outcome = forbidden('caller_not_allowed', message)
    const head = answerHead(requestId, this.#rates.uncounted(), this.context.clock.now(), outcome)
    const headers = request.complete ? head : { ...head, Connection: 'close' }
    sendText(response, outcome.status, headers, JSON.stringify(answerBody(requestId, outcome)))
  }

  /** Also returns an error object for requests that are too slow or not HTTP. */
  answerBrokenRequest(problem: 'malformed' | 'too-slow') {
    const requestId = this.context.makeId('req')
    const outcome =
      problem === 'too-slow'
        ? invalid('', 'The request did not arrive in time.', 'request_timeout')
        : invalid('', 'This is not a well-formed HTTP request.', 'request_malformed')
    const head = answerHead(requestId, this.#rates.uncounted(), this.context.clock.now(), outcome)
    return { status: outcome.status, head, body: JSON.stringify(answerBody(requestId, outcome)) }
  }

  get context(): ServiceContext {
    return this.#context
  }

  async #readBody(request: IncomingMessage, route: Route): Promise<JsonBody | Outcome | null> {
    if (route.maxBodyBytes === 0) return { raw: Buffer.alloc(0), json: undefined }
    const body = await readJsonBody(request, route.maxBodyBytes)
    return body?.kind === 'value' ? body.value : body
  }

  async #run(route: Route, requestId: string, input: RouteInput): Promise<Reply> {
    const { context, key, id, query, body, urlsSignedAtMs } = input
    const call = { context, key, requestId, id, query, body: body.json, urlsSignedAtMs }
    const idempotencyKey = route.method === 'POST' ? checkIdempotencyKey(input.idempotencyKey) : null
    if (idempotencyKey?.kind === 'refusal') return { outcome: idempotencyKey, requestId }
    if (idempotencyKey === null || idempotencyKey.value === null) {
      const outcome = await route.handler({ ...call, commit: (work) => context.store.write(work) })
      return { outcome, requestId }
    }
    const fingerprint = fingerprintOf(input.target, body.raw)
    const request = { orgId: key.org_id, key: idempotencyKey.value, fingerprint, requestId }
    const start = await this.#idempotency.begin(request)
    if (start.kind !== 'started') return { requestId, ...start }
    const commit = (work: () => Steps<Outcome>) =>
      context.store.write(function* () {
        const outcome = yield* work()
        yield* start.record(outcome)
        return outcome
      })
    try {
      return { outcome: await route.handler({ ...call, commit }), requestId }
    } catch (error) {
      if (error instanceof RefusalNotStored) return { outcome: error.refusal, requestId }
      const storedReply =
        error instanceof IdempotencyKeyTaken ? await this.#idempotency.findStored(request) : null
      if (storedReply === null) throw error
      return { requestId, ...storedReply }
    } finally {
      await start.end()
    }
  }

  #send(
    request: IncomingMessage,
    response: ServerResponse,
    { outcome, requestId }: Reply,
    rate: RateState,
    hook: ControlHook,
  ): void {
    // Do not read the rest of a refused body.
    const hasUnreadBody = !request.complete && outcome.kind === 'refusal'
    const head = {
      ...answerHead(requestId, rate, this.context.clock.now(), outcome),
      ...(hasUnreadBody ? { Connection: 'close' } : {}),
    }
    const status = answerStatus(outcome)
    const body = answerBody(requestId, outcome)
    // Close a connection without progress: an answer that the client never reads would stay in memory.
    request.socket.setTimeout(this.context.limits.clientTimeoutMs)
    if (!hook.answer(request, response, { status, head, body }))
      sendText(response, status, head, JSON.stringify(body))
  }
}

type RouteInput = {
  readonly context: ServiceContext
  readonly key: KeyRow
  readonly id: string
  readonly query: URLSearchParams
  readonly body: JsonBody
  readonly urlsSignedAtMs: number
  readonly idempotencyKey: string | undefined
  readonly target: string
}

function splitTarget(target: string): [string, string] {
  const queryMark = target.indexOf('?')
  return queryMark === -1 ? [target, ''] : [target.slice(0, queryMark), target.slice(queryMark + 1)]
}

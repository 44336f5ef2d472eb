import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { forbidden, invalid, notFound, type Outcome, rateLimited, serverError } from '../answer.ts'
import { captivePortal } from '../captive-portal.ts'
import type { SandboxContext } from '../context.ts'
import type { FaultPlan } from '../fault-engine.ts'
import { createBoundedServer, refuseBrokenRequest } from '../http-server.ts'
import { foreignCaller } from '../local-caller.ts'
import type { KeyRow } from '../store/keys.ts'
import { authenticate } from './authenticate.ts'
import { corruptBody } from './corrupt-answer.ts'
import { checkIdempotencyKey, fingerprintOf, IdempotencyKeys } from './idempotency.ts'
import { type JsonBody, readJsonBody } from './json-body.ts'
import { RateLimiter, type RateState } from './rate-limit.ts'
import { findRoute, type Route } from './routes.ts'
import { answerBody, answerHead, answerStatus, sendText } from './send-answer.ts'

/** Requests without a valid key share one rate limit, so that they use up nobody else's. */
const anonymous = ''

export function createControlServer(context: SandboxContext): Server {
  const api = new ControlApi(context)
  const { clientTimeoutMs } = context.limits
  const timeouts = { headMs: clientTimeoutMs, requestMs: clientTimeoutMs }
  const server = createBoundedServer(timeouts, (request, response) => {
    api.handle(request, response).catch((error: unknown) => {
      // Only while the sandbox closes: it can no longer answer.
      context.log(`request failed: ${String(error)}`)
      request.socket.destroy()
    })
  })
  refuseBrokenRequest(server, (problem) => api.brokenRequest(problem))
  return server
}

type Reply = { readonly outcome: Outcome; readonly requestId: string }

class ControlApi {
  readonly #context: SandboxContext
  readonly #rates: RateLimiter
  readonly #idempotency: IdempotencyKeys

  constructor(context: SandboxContext) {
    this.#context = context
    this.#rates = new RateLimiter(context.limits.requestsPerMinute, () => context.clock.now())
    this.#idempotency = new IdempotencyKeys(context.store, () => context.clock.now())
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { context } = this
    const foreign = foreignCaller(request)
    if (foreign !== null) return this.#refuseForeign(request, response, foreign)
    const startedAt = performance.now()
    const [path = '', query = ''] = splitTarget(request.url ?? '')
    const match = findRoute(request.method ?? '', path)
    const routeName = match?.route.name ?? 'unknown'
    context.stats.countRequest(routeName)
    const plan = context.faults.planFor(routeName)
    if (plan.latencyMs > 0) await delay(plan.latencyMs, undefined, { ref: false })
    if (plan.halfOpen) return
    if (plan.drop === 'before_body') return void request.socket.destroy()

    const requestId = context.makeId('req')
    const key = authenticate(context.store.keys, request.headers.authorization)
    const rate = this.#rates.count(key.kind === 'value' ? key.value.key : anonymous)
    const reply = async (): Promise<Reply | null> => {
      const refused = (outcome: Outcome): Reply => ({ outcome, requestId })
      if (plan.refusal !== null) return refused(plan.refusal)
      if (key.kind === 'refusal') return refused(rate.exceeded ? rateLimited(rate.resetS) : key)
      if (rate.exceeded) return refused(rateLimited(rate.resetS))
      if (match === null) return refused(notFound('route_not_found', 'There is nothing at this address.'))
      const { route, id } = match
      if (route.needsWrite && key.value.can_write === 0) {
        return refused(forbidden('write_required', 'This key may only read.'))
      }
      const body = await this.#readBody(request, route)
      if (body === null) return null
      if ('kind' in body) return refused(body)
      if (plan.drop === 'after_body') return null
      return this.#run(route, requestId, {
        context,
        key: key.value,
        id,
        query: new URLSearchParams(query),
        body,
        urlsSignedAtMs:
          context.clock.now() - (plan.expiredUrl ? context.limits.urlLifetimeS * 1000 + 60_000 : 0),
        idempotencyKey: request.headers['idempotency-key']?.toString(),
        target: `${request.method} ${path}`,
      })
    }
    const done = await reply().catch((error: unknown): Reply => {
      context.log(`${requestId} failed: ${error instanceof Error ? error.stack : String(error)}`)
      return { outcome: serverError(), requestId }
    })
    if (done === null || plan.loseAnswer) request.socket.destroy()
    else this.#send(request, response, done, rate, plan)
    const status = done === null ? 'aborted' : answerStatus(done.outcome)
    context.log(
      `${request.method} ${path} ${status} ${Math.round(performance.now() - startedAt)} ms ${requestId}`,
    )
  }

  /** Comes before counters and faults: this caller is no client of the service. */
  #refuseForeign(request: IncomingMessage, response: ServerResponse, message: string): void {
    const requestId = this.context.makeId('req')
    const outcome = forbidden('caller_not_allowed', message)
    const head = answerHead(requestId, this.#rates.peek(anonymous), this.context.clock.now(), outcome)
    const closing = request.complete ? head : { ...head, Connection: 'close' }
    sendText(response, outcome.status, closing, JSON.stringify(answerBody(requestId, outcome)))
  }

  /** Requests that are not HTTP or too slow also get an error object. */
  brokenRequest(problem: 'malformed' | 'too-slow') {
    const requestId = this.context.makeId('req')
    const outcome =
      problem === 'too-slow'
        ? invalid('', 'The request did not arrive in time.', 'request_timeout')
        : invalid('', 'This is not a well-formed HTTP request.', 'request_malformed')
    const head = answerHead(requestId, this.#rates.peek(anonymous), this.context.clock.now(), outcome)
    return { status: outcome.status, head, body: JSON.stringify(answerBody(requestId, outcome)) }
  }

  get context(): SandboxContext {
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
    const keyed = route.method === 'POST' ? checkIdempotencyKey(input.idempotencyKey) : null
    if (keyed?.kind === 'refusal') return { outcome: keyed, requestId }
    if (keyed === null || keyed.value === null) {
      const outcome = await route.handler({ ...call, commit: (work) => context.store.write(work) })
      return { outcome, requestId }
    }
    const fingerprint = fingerprintOf(input.target, body.raw)
    const begun = this.#idempotency.begin({ orgId: key.org_id, key: keyed.value, fingerprint, requestId })
    if (begun.kind === 'refused') return { outcome: begun.outcome, requestId }
    if (begun.kind === 'replay') return begun
    try {
      const commit = (work: () => Outcome) =>
        context.store.write(() => {
          const outcome = work()
          begun.record(outcome)
          return outcome
        })
      return { outcome: await route.handler({ ...call, commit }), requestId }
    } finally {
      begun.end()
    }
  }

  #send(
    request: IncomingMessage,
    response: ServerResponse,
    { outcome, requestId }: Reply,
    rate: RateState,
    plan: FaultPlan,
  ): void {
    // Do not read the rest of a refused body.
    const unread = !request.complete && outcome.kind === 'refusal'
    const head = {
      ...answerHead(requestId, rate, this.context.clock.now(), outcome),
      ...(unread ? { Connection: 'close' } : {}),
    }
    if (plan.html) {
      sendText(response, 200, { ...head, 'Content-Type': 'text/html' }, captivePortal)
      return
    }
    const text = JSON.stringify(corruptBody(answerBody(requestId, outcome), plan))
    if (plan.stallAfterBytes !== null) {
      response.writeHead(answerStatus(outcome), {
        ...head,
        'Content-Length': String(Buffer.byteLength(text)),
      })
      response.write(Buffer.from(text).subarray(0, plan.stallAfterBytes))
      return
    }
    const cut = plan.truncatedJson ? text.slice(0, text.length / 2) : text
    sendText(response, answerStatus(outcome), head, cut)
  }
}

type RouteInput = {
  readonly context: SandboxContext
  readonly key: KeyRow
  readonly id: string
  readonly query: URLSearchParams
  readonly body: JsonBody
  readonly urlsSignedAtMs: number
  readonly idempotencyKey: string | undefined
  readonly target: string
}

function splitTarget(target: string): [string, string] {
  const at = target.indexOf('?')
  return at === -1 ? [target, ''] : [target.slice(0, at), target.slice(at + 1)]
}

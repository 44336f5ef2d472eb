import type { Dispatcher } from 'undici'
import type { z } from 'zod'
import { done, type Failure, failed, type Outcome } from '../domain/failure.ts'
import type { Clock } from '../ports/clock.ts'
import type { Answered } from '../ports/service.ts'
import { dateMsOf, isFromCache, rateLimitOf, requestIdOfHeaders, retryAfterMsOf } from './answer-headers.ts'
import { describeMismatch } from './answers.ts'
import { failureOfError } from './errors.ts'
import { type Answer, type ExchangeResult, exchange } from './exchange.ts'
import type { RateLimit, RateLimitTurn } from './rate-limit.ts'
import type { Scrub } from './scrub.ts'
import type { ServiceClock } from './service-clock.ts'
import { describeBody, failureOfStatus, outsideContract } from './status-failures.ts'

export type ControlContext = {
  readonly baseUrl: string
  readonly apiKey: string
  readonly idleMs: number
  readonly clock: Clock
  readonly serviceClock: ServiceClock
  readonly rateLimit: RateLimit
  readonly scrub: Scrub
  /** Call this for each request, because a reconnect replaces the connection. */
  readonly connection: () => { readonly dispatcher: Dispatcher; readonly trustProblem: string | null }
}

export type ControlRequest<T> = {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: string
  readonly answer: z.ZodType<T>
  readonly body?: unknown
  readonly idempotencyKey?: string
  readonly maxAnswerBytes?: number
  /**
   * The timeout until the answer begins, as a multiple of the idle timeout. The default is 1. Longer work at the
   * service needs a larger factor.
   */
  readonly timeoutFactor?: number
  readonly signal: AbortSignal
}

/** Enough for one session. A caller that expects a list or 10,000 signed URLs sets a higher limit. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024
const MAX_ERROR_BYTES = 64 * 1024
/**
 * The timeout for the rest of an answer that has begun, as a multiple of the idle timeout. It stops an answer that
 * arrives byte by byte.
 */
const BODY_TIMEOUT_FACTOR = 3
/** If the rate limit requires a longer wait, the request fails, and the station waits. */
const MAX_RATE_LIMIT_WAIT_MS = 5_000

/** For a 429 without Retry-After. */
const DEFAULT_PAUSE_MS = 1000

const headersOf = (request: ControlRequest<unknown>, apiKey: string): Record<string, string> => ({
  accept: 'application/json',
  // Without this header, the server may compress the answer (RFC 9110, 12.5.3), and Sluice does not decompress.
  'accept-encoding': 'identity',
  authorization: `Bearer ${apiKey}`,
  'user-agent': 'sluice',
  // With this header, a cache must ask the service before it answers (RFC 9111, 5.2.1.4). Otherwise it could return a
  // deleted session.
  ...(request.method === 'GET' ? { 'cache-control': 'no-cache' } : {}),
  ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
  ...(request.idempotencyKey === undefined ? {} : { 'idempotency-key': request.idempotencyKey }),
})

/**
 * Updates the service's time and the rate limit, unless the answer is from a cache. A 429 always pauses the requests.
 */
const readHeaders = (answer: Answer, sentMs: number, context: ControlContext) => {
  const receivedMs = context.clock.monotonicMs()
  const dateMs = dateMsOf(answer.headers)
  const isCached = isFromCache(answer.headers)
  if (dateMs !== null && !isCached) context.serviceClock.observe({ dateMs, sentMs, receivedMs })
  const rateLimit = rateLimitOf(answer.headers, context.serviceClock.nowMs())
  if (rateLimit !== null && !isCached) context.rateLimit.observe(rateLimit)
  if (answer.status !== 429) return
  context.rateLimit.pause(retryAfterMsOf(answer.headers, context.serviceClock.nowMs()) ?? DEFAULT_PAUSE_MS)
}

/** For these statuses (§7), even an incomplete answer is enough. */
const isStatusEnough = (status: number) => status === 407 || status === 429 || status >= 500

const parseAnswer = <T>(
  answer: Answer,
  schema: z.ZodType<T>,
  context: ControlContext,
): Outcome<Answered<T>> => {
  const requestId = requestIdOfHeaders(answer.headers)
  const unreadable = (detail: string) => failed(outsideContract(answer, detail, requestId))
  if (answer.status < 200 || answer.status >= 300) {
    return failed(failureOfStatus(answer, context.scrub, context.serviceClock.nowMs()))
  }
  let json: unknown
  try {
    json = JSON.parse(answer.body.toString('utf8'))
  } catch {
    return unreadable(`HTTP ${answer.status} with ${describeBody(answer)}`)
  }
  const parsed = schema.safeParse(json)
  const isCached = isFromCache(answer.headers)
  return parsed.success
    ? done({ value: parsed.data, requestId, ...(isCached ? { isCached } : {}) })
    : unreadable(context.scrub(describeMismatch(parsed.error)))
}

const failureOfExchange = (
  result: Exclude<ExchangeResult, { kind: 'answer' }>,
  host: string,
  trustProblem: string | null,
  scrub: Scrub,
): Failure => {
  switch (result.kind) {
    case 'cancelled':
      return { kind: 'cancelled' }
    case 'timeout':
      return {
        kind: 'timeout',
        origin: 'control',
        connected: true,
        detail: `${host}: no answer within the time limit`,
      }
    case 'too-large': {
      const requestId = requestIdOfHeaders(result.answer.headers)
      return outsideContract(result.answer, `${host}: the answer is far too large`, requestId)
    }
    case 'broken':
      return failureOfError(result.error, { origin: 'control', host, scrub, trustProblem })
  }
}

/** Waits for the rate limit, sends one request to the control API, and reads the answer. */
export const controlRequest = async <T>(
  request: ControlRequest<T>,
  context: ControlContext,
): Promise<Outcome<Answered<T>>> => {
  let turn: RateLimitTurn
  try {
    turn = await context.rateLimit.acquire(request.signal, MAX_RATE_LIMIT_WAIT_MS)
  } catch {
    return failed({ kind: 'cancelled' })
  }
  if (turn.kind === 'too-long')
    return failed({
      kind: 'rate-limited',
      origin: 'control',
      retryAfterMs: turn.waitMs,
      message: '',
      requestId: null,
    })
  try {
    const url = new URL(context.baseUrl + request.path)
    const { dispatcher, trustProblem } = context.connection()
    const sentMs = context.clock.monotonicMs()
    const result = await exchange({
      dispatcher,
      url,
      method: request.method,
      headers: headersOf(request, context.apiKey),
      body: request.body === undefined ? null : JSON.stringify(request.body),
      idleMs: context.idleMs,
      answerMs: context.idleMs * (request.timeoutFactor ?? 1),
      bodyMs: context.idleMs * BODY_TIMEOUT_FACTOR,
      maxAnswerBytes: request.maxAnswerBytes ?? MAX_ANSWER_BYTES,
      maxErrorBytes: MAX_ERROR_BYTES,
      signal: request.signal,
    })
    const handleAnswer = (answer: Answer) => {
      readHeaders(answer, sentMs, context)
      return parseAnswer(answer, request.answer, context)
    }
    if (result.kind === 'answer') return handleAnswer(result.answer)
    const partial = result.kind === 'cancelled' ? null : result.answer
    if (partial !== null && isStatusEnough(partial.status)) return handleAnswer(partial)
    return failed(failureOfExchange(result, url.host, trustProblem, context.scrub))
  } finally {
    context.rateLimit.release()
  }
}

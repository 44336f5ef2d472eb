import type { Dispatcher } from 'undici'
import type { z } from 'zod'
import { done, type Failure, failed, type Outcome } from '../domain/failure.ts'
import type { Clock } from '../ports/clock.ts'
import type { Answered } from '../ports/service.ts'
import { dateMsOf, headerOf, rateLimitOf, requestIdOfHeaders, retryAfterMsOf } from './answer-headers.ts'
import { describeMismatch } from './answers.ts'
import { failureOfError } from './errors.ts'
import { type Answer, type ExchangeResult, exchange } from './exchange.ts'
import type { RateLimit, Turn } from './rate-limit.ts'
import type { Scrub } from './scrub.ts'
import type { ServiceClock } from './service-clock.ts'
import { describeBody, failureOfStatus, notTheContract } from './status-failures.ts'

export type ControlContext = {
  readonly baseUrl: string
  readonly apiKey: string
  readonly idleMs: number
  readonly clock: Clock
  readonly serviceClock: ServiceClock
  readonly rateLimit: RateLimit
  readonly scrub: Scrub
  /** Asked for each request: after a reconnect it is another one. */
  readonly connection: () => { readonly dispatcher: Dispatcher; readonly trustProblem: string | null }
}

export type ControlRequest<T> = {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: string
  readonly answer: z.ZodType<T>
  readonly body?: unknown
  readonly idempotencyKey?: string
  readonly maxAnswerBytes?: number
  /** How many idle limits to wait for the answer; 1 unless the service has long work to do first. */
  readonly patience?: number
  readonly signal: AbortSignal
}

/** What an answer can need: one session, or a page of 500. With 10,000 signed addresses the caller says so. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024
/** Of an error a sentence is read. */
const MAX_ERROR_BYTES = 64 * 1024
/** An answer that only trickles is no answer: so many idle limits for all of it. */
const BODY_PATIENCE = 3
/** A longer wait for a turn is the station's: nobody holds a request that long. */
const LONGEST_TURN_MS = 5_000

/** For a 429 that forgot its Retry-After. */
const DEFAULT_PAUSE_MS = 1000

const headersOf = (request: ControlRequest<unknown>, apiKey: string): Record<string, string> => ({
  accept: 'application/json',
  // Who names no coding takes any (RFC 9110, 12.5.3), and nothing here unpacks.
  'accept-encoding': 'identity',
  authorization: `Bearer ${apiKey}`,
  'user-agent': 'sluice',
  ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
  ...(request.idempotencyKey === undefined ? {} : { 'idempotency-key': request.idempotencyKey }),
})

/** Every answer teaches: the service's time, and how much of the budget is left. */
const learn = (answer: Answer, sentMs: number, context: ControlContext) => {
  const receivedMs = context.clock.monotonicMs()
  const dateMs = dateMsOf(answer.headers)
  // An answer out of some cache carries the time at which it was cached.
  const isCached = headerOf(answer.headers, 'age') !== null
  if (dateMs !== null && !isCached) context.serviceClock.observe({ dateMs, sentMs, receivedMs })
  const budget = rateLimitOf(answer.headers, context.serviceClock.nowMs())
  if (budget !== null) context.rateLimit.observe(budget)
  if (answer.status !== 429) return
  context.rateLimit.pause(retryAfterMsOf(answer.headers, context.serviceClock.nowMs()) ?? DEFAULT_PAUSE_MS)
}

/** §7: these say all they have to say before their body, which may then be torn. */
const speaksByStatus = (status: number) => status === 407 || status === 429 || status >= 500

const read = <T>(answer: Answer, schema: z.ZodType<T>, context: ControlContext): Outcome<Answered<T>> => {
  const requestId = requestIdOfHeaders(answer.headers)
  const unreadable = (detail: string) => failed(notTheContract(answer, detail, requestId))
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
  return parsed.success
    ? done({ value: parsed.data, requestId })
    : unreadable(context.scrub(describeMismatch(parsed.error)))
}

const failureOfBreak = (
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
      return notTheContract(result.answer, `${host}: the answer is far too large`, requestId)
    }
    case 'broken':
      return failureOfError(result.error, { origin: 'control', host, scrub, trustProblem })
  }
}

/** One request to the control API: waits for its turn, sends, learns from the headers, reads the answer. */
export const controlRequest = async <T>(
  request: ControlRequest<T>,
  context: ControlContext,
): Promise<Outcome<Answered<T>>> => {
  let turn: Turn
  try {
    turn = await context.rateLimit.acquire(request.signal, LONGEST_TURN_MS)
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
      answerMs: context.idleMs * (request.patience ?? 1),
      bodyMs: context.idleMs * BODY_PATIENCE,
      maxAnswerBytes: request.maxAnswerBytes ?? MAX_ANSWER_BYTES,
      maxErrorBytes: MAX_ERROR_BYTES,
      signal: request.signal,
    })
    const hear = (answer: Answer) => {
      learn(answer, sentMs, context)
      return read(answer, request.answer, context)
    }
    if (result.kind === 'answer') return hear(result.answer)
    const torn = result.kind === 'cancelled' ? null : result.answer
    if (torn !== null && speaksByStatus(torn.status)) return hear(torn)
    return failed(failureOfBreak(result, url.host, trustProblem, context.scrub))
  } finally {
    context.rateLimit.release()
  }
}

import type { Dispatcher } from 'undici'
import type { AnswerHeaders } from './answer-headers.ts'
import { createWatchdog } from './watchdog.ts'

/** Tells the exchange that its own side is slow, for example under a bandwidth limit. */
export type OwnPace = { readonly waiting: () => void; readonly sent: () => void }

export type ExchangeRequest = {
  readonly dispatcher: Dispatcher
  readonly url: URL
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | ((pace: OwnPace) => AsyncIterable<Uint8Array>) | null
  /** The longest time in which nothing moves. */
  readonly idleMs: number
  /** The longest wait for the answer once all is sent. */
  readonly answerMs: number
  /** The longest time for the whole answer once it has begun. */
  readonly bodyMs: number
  readonly maxAnswerBytes: number
  /** The same where the status is no success. */
  readonly maxErrorBytes: number
  readonly signal: AbortSignal
}

export type Answer = {
  readonly status: number
  readonly headers: AnswerHeaders
  readonly body: Buffer
  /** False: the connection broke, or the limit was reached, after the status had arrived. */
  readonly whole: boolean
}

export type ExchangeResult =
  | { readonly kind: 'answer'; readonly answer: Answer }
  | { readonly kind: 'too-large'; readonly answer: Answer }
  | { readonly kind: 'broken'; readonly error: Error; readonly answer: Answer | null }
  | { readonly kind: 'timeout'; readonly answer: Answer | null }
  | { readonly kind: 'cancelled' }

/**
 * One request and its answer. Never throws and never leaves an answer unread: it is read to its end or its
 * connection is destroyed. An answer that arrives before the body is sent counts like any other.
 */
export const exchange = (request: ExchangeRequest): Promise<ExchangeResult> =>
  new Promise((resolve) => {
    if (request.signal.aborted) return resolve({ kind: 'cancelled' })
    let controller: Dispatcher.DispatchController | null = null
    let settled = false
    let status = 0
    let headers: AnswerHeaders = {}
    const chunks: Buffer[] = []
    let bytes = 0

    const answer = (whole: boolean): Answer => ({ status, headers, body: Buffer.concat(chunks), whole })
    const answerSoFar = () => (status === 0 ? null : answer(false))

    const settle = (result: ExchangeResult) => {
      if (settled) return
      settled = true
      idle.disarm()
      patience.disarm()
      whole.disarm()
      request.signal.removeEventListener('abort', cancel)
      resolve(result)
    }
    const giveUp = (result: ExchangeResult) => {
      settle(result)
      controller?.abort(new Error(result.kind))
    }
    const cancel = () => giveUp({ kind: 'cancelled' })
    const onIdle = () => giveUp({ kind: 'timeout', answer: answerSoFar() })
    const idle = createWatchdog(request.idleMs, onIdle)
    const patience = createWatchdog(request.answerMs, onIdle)
    const whole = createWatchdog(request.bodyMs, onIdle)

    const pace: OwnPace = {
      waiting: () => {
        if (status === 0) idle.disarm()
      },
      sent: () => {
        if (!settled) idle.arm()
      },
    }

    request.signal.addEventListener('abort', cancel)
    idle.arm()
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart: (started) => {
        controller = started
        if (settled) started.abort(new Error('no longer wanted'))
        else idle.arm()
      },
      onRequestSent: () => {
        if (settled || status !== 0) return
        idle.disarm()
        patience.arm()
      },
      onResponseStart: (_controller, statusCode, answerHeaders) => {
        // Interim (1xx): promises no answer, however many come, so the wait for one goes on as it was.
        if (settled || statusCode < 200) return
        status = statusCode
        headers = answerHeaders
        patience.disarm()
        whole.arm()
        idle.arm()
      },
      onResponseData: (_controller, chunk) => {
        if (settled) return
        idle.arm()
        bytes += chunk.length
        const most = status >= 300 ? request.maxErrorBytes : request.maxAnswerBytes
        if (bytes > most) giveUp({ kind: 'too-large', answer: answer(false) })
        else chunks.push(chunk)
      },
      onResponseEnd: () => settle({ kind: 'answer', answer: answer(true) }),
      onResponseError: (_controller, error) => settle({ kind: 'broken', error, answer: answerSoFar() }),
    }
    const body = typeof request.body === 'function' ? request.body(pace) : request.body
    try {
      request.dispatcher.dispatch(
        {
          origin: request.url.origin,
          path: `${request.url.pathname}${request.url.search}`,
          method: request.method,
          headers: { ...request.headers },
          // An async iterable is taken as it is; only the declared type does not know.
          body: body as string | null,
          // The watchdogs above are the only clocks: they know about our own pace.
          headersTimeout: 0,
          bodyTimeout: 0,
        },
        handler,
      )
    } catch (error) {
      settle({ kind: 'broken', error: error as Error, answer: null })
    }
  })

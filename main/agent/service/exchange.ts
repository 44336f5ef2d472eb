import type { Dispatcher } from 'undici'
import type { AnswerHeaders } from './answer-headers.ts'
import { createWatchdog } from './watchdog.ts'

/** Pauses the idle timeout while this PC causes the delay, for example by a speed limit. */
export type SourceProgress = { readonly onWaiting: () => void; readonly onSent: () => void }

export type ExchangeRequest = {
  readonly dispatcher: Dispatcher
  readonly url: URL
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | ((progress: SourceProgress) => AsyncIterable<Uint8Array>) | null
  /** Timeout while no bytes move. */
  readonly idleMs: number
  /** Timeout for the start of the answer after all bytes are sent. */
  readonly answerMs: number
  /** Timeout for the rest of the answer after its start. */
  readonly bodyMs: number
  readonly maxAnswerBytes: number
  /** Applies instead of `maxAnswerBytes` if the status is an error. */
  readonly maxErrorBytes: number
  /**
   * Receives the body of a successful answer, instead of keeping it in memory. If this throws, the exchange is
   * `broken`.
   */
  readonly onBody?: (chunk: Buffer) => void
  readonly signal: AbortSignal
}

export type Answer = {
  readonly status: number
  readonly headers: AnswerHeaders
  readonly body: Buffer
  /** False if the connection broke, or a limit was reached, after the status arrived. */
  readonly isWhole: boolean
}

export type ExchangeResult =
  | { readonly kind: 'answer'; readonly answer: Answer }
  | { readonly kind: 'too-large'; readonly answer: Answer }
  | { readonly kind: 'broken'; readonly error: Error; readonly answer: Answer | null }
  | { readonly kind: 'timeout'; readonly answer: Answer | null }
  | { readonly kind: 'cancelled' }

/**
 * Sends one request and reads its answer to the end, or destroys the connection. The answer may arrive before the
 * request is sent completely. Never throws.
 */
export const exchange = (request: ExchangeRequest): Promise<ExchangeResult> =>
  new Promise((resolve) => {
    if (request.signal.aborted) return resolve({ kind: 'cancelled' })
    let controller: Dispatcher.DispatchController | null = null
    let isSettled = false
    let status = 0
    let headers: AnswerHeaders = {}
    const chunks: Buffer[] = []
    let bytes = 0

    const answer = (isWhole: boolean): Answer => ({ status, headers, body: Buffer.concat(chunks), isWhole })
    const answerSoFar = () => (status === 0 ? null : answer(false))

    const settle = (result: ExchangeResult) => {
      if (isSettled) return
      isSettled = true
      idle.disarm()
      answerTimeout.disarm()
      bodyTimeout.disarm()
      request.signal.removeEventListener('abort', cancel)
      resolve(result)
    }
    const giveUp = (result: ExchangeResult) => {
      settle(result)
      controller?.abort(new Error(result.kind))
    }
    const cancel = () => giveUp({ kind: 'cancelled' })
    const onTimeout = () => giveUp({ kind: 'timeout', answer: answerSoFar() })
    const idle = createWatchdog(request.idleMs, onTimeout)
    const answerTimeout = createWatchdog(request.answerMs, onTimeout)
    const bodyTimeout = createWatchdog(request.bodyMs, onTimeout)

    const progress: SourceProgress = {
      onWaiting: () => {
        if (status === 0) idle.disarm()
      },
      onSent: () => {
        if (!isSettled) idle.arm()
      },
    }

    request.signal.addEventListener('abort', cancel)
    idle.arm()
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart: (started) => {
        controller = started
        if (isSettled) started.abort(new Error('the caller no longer needs the answer'))
        else idle.arm()
      },
      onRequestSent: () => {
        if (isSettled || status !== 0) return
        idle.disarm()
        answerTimeout.arm()
      },
      onResponseStart: (_controller, statusCode, answerHeaders) => {
        // An interim answer (1xx) does not end the wait for the real answer.
        if (isSettled || statusCode < 200) return
        status = statusCode
        headers = answerHeaders
        answerTimeout.disarm()
        bodyTimeout.arm()
        idle.arm()
      },
      onResponseData: (_controller, chunk) => {
        if (isSettled) return
        idle.arm()
        bytes += chunk.length
        const maxBytes = status >= 300 ? request.maxErrorBytes : request.maxAnswerBytes
        if (bytes > maxBytes) return giveUp({ kind: 'too-large', answer: answer(false) })
        if (request.onBody === undefined || status >= 300) return void chunks.push(chunk)
        try {
          request.onBody(chunk)
        } catch (error) {
          giveUp({ kind: 'broken', error: error as Error, answer: answer(false) })
        }
      },
      onResponseEnd: () => settle({ kind: 'answer', answer: answer(true) }),
      onResponseError: (_controller, error) => settle({ kind: 'broken', error, answer: answerSoFar() }),
    }
    const body = typeof request.body === 'function' ? request.body(progress) : request.body
    try {
      request.dispatcher.dispatch(
        {
          origin: request.url.origin,
          path: `${request.url.pathname}${request.url.search}`,
          method: request.method,
          headers: { ...request.headers },
          // undici accepts an async iterable, but its type does not declare that.
          body: body as string | null,
          // Disable undici's timeouts. The watchdogs above know when this PC causes the delay.
          headersTimeout: 0,
          bodyTimeout: 0,
        },
        handler,
      )
    } catch (error) {
      settle({ kind: 'broken', error: error as Error, answer: null })
    }
  })

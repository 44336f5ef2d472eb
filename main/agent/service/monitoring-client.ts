import { wordsOf } from '../domain/failure.ts'
import type { Clock } from '../ports/clock.ts'
import type { Delivery, OutgoingMessage } from '../ports/monitoring.ts'
import { isSafeAddress } from './addresses.ts'
import { retryAfterMsOf } from './answer-headers.ts'
import { type Connection, openConnection, type ProxyChoice } from './connection.ts'
import { failureOfError } from './errors.ts'
import { type ExchangeResult, exchange } from './exchange.ts'
import { createScrub } from './scrub.ts'

const CONNECT_TIMEOUT_MS = 10_000
const ANSWER_TIMEOUT_MS = 15_000
const MAX_ANSWER_BYTES = 64 * 1024

export type MonitoringClientOptions = {
  readonly proxy: ProxyChoice
  readonly caFile?: string | undefined
  readonly clock: Clock
}

const failed = (sentence: string, retryAfterMs: number | null = null): Delivery => ({
  ok: false,
  sentence,
  retryAfterMs,
})

const deliveryOf = (
  result: ExchangeResult,
  url: URL,
  trustProblem: string | null,
  nowMs: number,
): Delivery => {
  const { host } = url
  switch (result.kind) {
    // The status is valid even if the body is too long.
    case 'answer':
    case 'too-large': {
      const { status, headers } = result.answer
      if (status >= 200 && status < 300) return { ok: true }
      if (status >= 300 && status < 400)
        return failed(`${host} answers with a redirect (${status}), which Sluice does not follow.`)
      return failed(`${host} answers with status ${status}.`, retryAfterMsOf(headers, nowMs))
    }
    case 'timeout':
      return failed(`${host} did not answer within the time limit.`)
    case 'cancelled':
      return failed(`${host}: the request was cancelled.`)
    case 'broken': {
      // The URL is secret, and so are its path and query.
      const scrub = createScrub([url.href, url.pathname + url.search].filter((secret) => secret !== '/'))
      const failure = failureOfError(result.error, { origin: 'control', host, scrub, trustProblem })
      if (failure.kind === 'proxy-sign-in') return failed('The proxy asks for a sign-in.')
      return failed(`${wordsOf(failure) ?? `${host} cannot be reached`}.`)
    }
  }
}

/** Sends alerts and heartbeats through the station's proxy, and trusts the station's CA file. */
export class MonitoringClient {
  readonly #options: MonitoringClientOptions
  #connection: Connection

  constructor(options: MonitoringClientOptions) {
    this.#options = options
    this.#connection = this.#connect()
  }

  async send(
    { url: address, method, headers, body }: OutgoingMessage,
    signal: AbortSignal,
  ): Promise<Delivery> {
    if (!isSafeAddress(address)) return failed('The URL is neither https nor on this PC.')
    const url = new URL(address)
    const { dispatcher, trustProblem } = this.#connection
    const result = await exchange({
      dispatcher,
      url,
      method,
      headers: {
        'user-agent': 'sluice',
        ...headers,
        ...(body === undefined ? {} : { 'content-type': body.type }),
      },
      body: body?.text ?? null,
      idleMs: ANSWER_TIMEOUT_MS,
      answerMs: ANSWER_TIMEOUT_MS,
      bodyMs: ANSWER_TIMEOUT_MS,
      maxAnswerBytes: MAX_ANSWER_BYTES,
      maxErrorBytes: MAX_ANSWER_BYTES,
      signal,
    })
    return deliveryOf(result, url, trustProblem, this.#options.clock.wallMs())
  }

  /** Call this after sleep or a change of the network, when open sockets may be dead. */
  reconnect(): void {
    const oldConnection = this.#connection
    this.#connection = this.#connect()
    void oldConnection.dispatcher.destroy()
  }

  close(): Promise<void> {
    return this.#connection.dispatcher.destroy()
  }

  #connect(): Connection {
    const { proxy, caFile } = this.#options
    return openConnection({
      proxy,
      ...(caFile === undefined ? {} : { caFile }),
      connectTimeoutMs: CONNECT_TIMEOUT_MS,
    })
  }
}

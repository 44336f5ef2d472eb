import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { METRICS_PATH } from '../../../shared/ipc/monitoring.ts'
import { isLoopback } from '../../../shared/settings/loopback.ts'
import type { MetricsListenerOptions } from '../ports/monitoring.ts'
import type { ListenResult } from '../ports/webhooks.ts'
import { answerStatus, openHttpListener } from './http-listener.ts'

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/** Compares digests of equal length, so that timing reveals nothing about the token. */
const hasToken = ({ headers }: IncomingMessage, expectedToken: string): boolean => {
  const [, token = ''] = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '') ?? []
  return timingSafeEqual(digest(token), digest(expectedToken))
}

/**
 * Loopback does not keep web pages out: a page can point its own host name at 127.0.0.1, and may then read the answer.
 * So the `Host` header must name this PC.
 */
const isFromThisPc = ({ headers, socket }: IncomingMessage): boolean => {
  const [, name = '', port = '80'] =
    /^(\[[\da-f:]+\]|[\w.-]+)(?::(\d{1,5}))?$/i.exec(headers.host ?? '') ?? []
  const site = headers['sec-fetch-site']
  return (
    isLoopback(name.toLowerCase()) &&
    Number(port) === socket.localPort &&
    headers.origin === undefined &&
    (site === undefined || site === 'none')
  )
}

/** The HTTP status of a refusal, or the text of a 200 answer. */
const answerTo = (request: IncomingMessage, options: MetricsListenerOptions): number | string => {
  if (request.url?.split('?')[0] !== METRICS_PATH) return 404
  if (options.token === null ? !isFromThisPc(request) : !hasToken(request, options.token)) {
    options.onRefused()
    return options.token === null ? 403 : 401
  }
  return request.method === 'GET' || request.method === 'HEAD' ? (options.text() ?? 503) : 405
}

const onRequest = (
  request: IncomingMessage,
  response: ServerResponse,
  options: MetricsListenerOptions,
): void => {
  const answer = answerTo(request, options)
  if (typeof answer === 'number') {
    answerStatus(response, answer, answer === 401 ? { 'www-authenticate': 'Bearer' } : {})
    return
  }
  response.writeHead(200, {
    connection: 'close',
    'cache-control': 'no-store',
    'content-length': Buffer.byteLength(answer),
    'content-type': 'text/plain; version=0.0.4; charset=utf-8',
  })
  response.end(request.method === 'HEAD' ? undefined : answer)
}

/** The metrics endpoint for Prometheus: one path, read-only, with a token if other PCs can connect. */
export const listenForMetrics = (options: MetricsListenerOptions): Promise<ListenResult> =>
  openHttpListener(options, (request, response) => onRequest(request, response, options))

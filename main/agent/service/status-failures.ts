import { z } from 'zod'
import type { Failure } from '../domain/failure.ts'
import { headerOf, requestIdOfHeaders, retryAfterMsOf, usableRequestId } from './answer-headers.ts'
import type { Answer } from './exchange.ts'
import type { Scrub } from './scrub.ts'

/**
 * Hard case: The service's own gateway answers with an HTML page.
 * An HTML page is never an answer of the service or the storage, even with status 200 and an ETag. The page raises a
 * condition, which ends after a successful probe. But with the statuses 407, 429 and 5xx, and with 408 of the control
 * API, the status decides.
 */

/** The error body of §7. Fields may be missing: in most cases, the status alone decides. */
const errorBody = z.object({
  error: z.object({
    type: z.string().catch(''),
    code: z.string().catch(''),
    message: z.string().catch(''),
    param: z.string().nullish().catch(null),
    request_id: z.string().nullish().catch(null),
  }),
})

const errorOf = (body: Buffer) => {
  try {
    return errorBody.parse(JSON.parse(body.toString('utf8'))).error
  } catch {
    return null
  }
}

const startOf = ({ body }: Answer): string => body.subarray(0, 256).toString('utf8').trimStart()

const HTML_START =
  /^(<\?xml[^>]*>\s*)?<(!doctype html|!--|(html|head|body|title|meta|center|h[1-6]|div|p)\b)/i
/** The web server of a storage may label XML or JSON as HTML. */
const DATA_START = /^([{[]|<\?xml|<error)/i

/** Checks the first bytes. If they do not decide, checks the content type. */
export const isPage = (answer: Answer): boolean => {
  const start = startOf(answer)
  if (HTML_START.test(start)) return true
  return /html/i.test(headerOf(answer.headers, 'content-type') ?? '') && !DATA_START.test(start)
}

/**
 * The failure for an answer outside the contract. The service sends JSON with a Request-Id (§2.1), but a gateway may
 * add this header to its own HTML or XML.
 */
export const outsideContract = (answer: Answer, detail: string, requestId: string | null): Failure =>
  requestId === null || isPage(answer) || startOf(answer).startsWith('<')
    ? { kind: 'foreign-answer', origin: 'control', detail, requestId }
    : { kind: 'unreadable-answer', detail, requestId }

export const describeBody = (answer: Answer): string => {
  if (answer.body.length === 0) return 'an empty body'
  if (isPage(answer)) return 'an HTML page'
  const type = headerOf(answer.headers, 'content-type') ?? ''
  return /json/i.test(type) ? 'broken JSON' : 'a body that is not JSON'
}

/** Sluice follows no redirect. Otherwise, it would send the key to an unknown host. */
const describeRedirect = (answer: Answer): string => {
  const location = headerOf(answer.headers, 'location') ?? ''
  const to = URL.canParse(location) ? ` to ${new URL(location).host}` : ''
  return `HTTP ${answer.status}: a redirect${to}, which is never followed`
}

/** Converts an answer of the control API with any status outside 2xx into a failure (§7). */
export const failureOfStatus = (answer: Answer, scrub: Scrub, nowMs: number): Failure => {
  const { status } = answer
  const parsed = errorOf(answer.body)
  const requestId = requestIdOfHeaders(answer.headers) ?? usableRequestId(parsed?.request_id)
  // Gateways send JSON too. An error of the service has a type (§7), or at least a Request-Id.
  const error = parsed !== null && (parsed.type !== '' || requestId !== null) ? parsed : null
  const retryAfterMs = retryAfterMsOf(answer.headers, nowMs)

  const origin = 'control'
  const message = error === null ? `HTTP ${status} with ${describeBody(answer)}` : scrub(error.message)

  if (status === 407) return { kind: 'proxy-sign-in', origin }
  if (status === 429) return { kind: 'rate-limited', origin, retryAfterMs, message, requestId }
  if (status >= 500) return { kind: 'service', origin, status, retryAfterMs, message, requestId }
  if (status >= 300 && status < 400)
    return { kind: 'foreign-answer', origin, detail: scrub(describeRedirect(answer)), requestId }
  if (status === 408) {
    const detail = 'the service timed out while it waited for the request'
    return { kind: 'timeout', origin, connected: true, detail }
  }
  // Believe a 403 or 404 only with the service's error body: a page of a portal or gateway must not stop the station or
  // drop a session. Believe a 401 even without this body, unless it is a page.
  if (error === null) {
    if (status === 401 && !isPage(answer)) return { kind: 'auth', reason: 'refused', message, requestId }
    return outsideContract(answer, `${message} instead of the service's error`, requestId)
  }
  const { code } = error
  switch (status) {
    case 401:
      return { kind: 'auth', reason: 'refused', message, requestId }
    case 403:
      return { kind: 'auth', reason: 'not-permitted', message, requestId }
    case 404:
      return { kind: 'not-found', message, requestId }
    case 409:
      return { kind: 'conflict', code: scrub(code), message, requestId }
    default: {
      const param = error.param == null ? null : scrub(error.param)
      return { kind: 'rejected', origin, status, code: scrub(code), message, param, requestId }
    }
  }
}

import type { Failure } from '../domain/failure.ts'
import { requestIdOfHeaders, retryAfterMsOf } from './answer-headers.ts'
import type { Answer } from './exchange.ts'
import type { Scrub } from './scrub.ts'
import { isPage } from './status-failures.ts'

/** Reads one field of an error. Storages answer in XML, and the reference storage may answer in JSON (§7). */
const fieldOf = (body: string, name: 'code' | 'message'): string => {
  const tag = name === 'code' ? 'Code' : 'Message'
  const xml = new RegExp(`<${tag}>([^<]*)</${tag}>`, 'i').exec(body)?.[1]
  const json = new RegExp(`"${name}"\\s*:\\s*"((?:[^"\\\\]|\\\\.)*)"`).exec(body)?.[1]
  return xml ?? json ?? ''
}

/** Storages send one sentence. Without this limit, the patterns below could take a second per failed part. */
const MAX_MESSAGE_CHARS = 2_048

const EXPIRED_CODE = /^(ExpiredToken|TokenExpired|RequestExpired|UrlExpired|url_expired|expired)$/i
const EXPIRED_TEXT =
  /\b(has expired|is expired|request expired|url expired|token expired|signature expired)\b/i
const CORRUPT_CODE = /^(BadDigest|InvalidDigest|XAmzContentSHA256Mismatch|checksum_mismatch|bad_digest)$/i
const CORRUPT_TEXT =
  /checksum.*(did not match|does not match|mismatch)|digest.*(did not match|does not match)/i
const SKEW_CODE = /^RequestTimeTooSkewed$/i
const SLOW_CODE = /^(SlowDown|ServerBusy|TooManyRequests|RequestLimitExceeded|slow_down)$/i

/** Converts an answer of the storage with any status outside 2xx into a failure (§4.2). */
export const failureOfStorage = (answer: Answer, scrub: Scrub, nowMs: number): Failure => {
  const { status } = answer
  const body = answer.body.toString('utf8')
  const code = fieldOf(body, 'code')
  const message = fieldOf(body, 'message').slice(0, MAX_MESSAGE_CHARS)
  const requestId = requestIdOfHeaders(answer.headers)
  const retryAfterMs = retryAfterMsOf(answer.headers, nowMs)

  const origin = 'storage'
  const cleanMessage = scrub(message)

  if (status === 407) return { kind: 'proxy-sign-in', origin }
  if (status === 429 || SLOW_CODE.test(code))
    return { kind: 'rate-limited', origin, retryAfterMs, message: cleanMessage, requestId }
  // `RequestTimeTooSkewed` means that a clock at the service is wrong. Sluice retries until it is correct.
  if (status >= 500 || SKEW_CODE.test(code))
    return { kind: 'service', origin, status, retryAfterMs, message: cleanMessage, requestId }
  if (status < 400) {
    const detail = `the storage answered HTTP ${status}, and Sluice follows no redirect`
    return { kind: 'foreign-answer', origin, detail, requestId }
  }
  // This is not an answer of the storage, even with a request ID: a gateway may add one to its own pages.
  if (isPage(answer)) {
    const detail = `HTTP ${status} with an HTML page instead of the storage's error`
    return { kind: 'foreign-answer', origin, detail, requestId }
  }
  if (EXPIRED_CODE.test(code) || (status !== 404 && EXPIRED_TEXT.test(message)))
    return { kind: 'url-expired' }
  if (CORRUPT_CODE.test(code) || CORRUPT_TEXT.test(message)) return { kind: 'part-corrupt' }
  if (status === 408 || /^RequestTimeout$/i.test(code)) {
    const detail = 'the storage timed out while it waited for the bytes'
    return { kind: 'timeout', origin, connected: true, detail }
  }
  return {
    kind: 'rejected',
    origin,
    status,
    code: scrub(code),
    message: cleanMessage,
    param: null,
    requestId,
  }
}

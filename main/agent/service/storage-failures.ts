import type { Failure } from '../domain/failure.ts'
import { requestIdOfHeaders, retryAfterMsOf } from './answer-headers.ts'
import type { Answer } from './exchange.ts'
import type { Scrub } from './scrub.ts'

/** Storages answer XML, the contract's own one may answer §7's JSON: two fields of either are enough. */
const fieldOf = (body: string, name: 'code' | 'message'): string => {
  const tag = name === 'code' ? 'Code' : 'Message'
  const xml = new RegExp(`<${tag}>([^<]*)</${tag}>`, 'i').exec(body)?.[1]
  const json = new RegExp(`"${name}"\\s*:\\s*"((?:[^"\\\\]|\\\\.)*)"`).exec(body)?.[1]
  return xml ?? json ?? ''
}

const EXPIRED_CODE = /^(ExpiredToken|TokenExpired|RequestExpired|UrlExpired|url_expired|expired)$/i
const EXPIRED_TEXT =
  /\b(has expired|is expired|request expired|url expired|token expired|signature expired)\b/i
const CORRUPT_CODE = /^(BadDigest|InvalidDigest|XAmzContentSHA256Mismatch|checksum_mismatch|bad_digest)$/i
const CORRUPT_TEXT =
  /checksum.*(did not match|does not match|mismatch)|digest.*(did not match|does not match)/i
const SLOW_CODE = /^(SlowDown|ServerBusy|TooManyRequests|RequestLimitExceeded|slow_down)$/i

/** Any answer of the storage outside 2xx (§4.2). */
export const failureOfStorage = (answer: Answer, scrub: Scrub, nowMs: number): Failure => {
  const { status } = answer
  const body = answer.body.toString('utf8')
  const code = fieldOf(body, 'code')
  const message = fieldOf(body, 'message')
  const requestId = requestIdOfHeaders(answer.headers)
  const retryAfterMs = retryAfterMsOf(answer.headers, nowMs)

  if (status === 407) return { kind: 'proxy-sign-in' }
  if (status === 429 || status === 503 || SLOW_CODE.test(code)) {
    return { kind: 'rate-limited', retryAfterMs, requestId }
  }
  if (status >= 500) return { kind: 'service', status, retryAfterMs, requestId }
  if (status < 400) {
    const detail = `the storage answered HTTP ${status}, and redirects are never followed`
    return { kind: 'unreadable-answer', detail, requestId }
  }
  if (EXPIRED_CODE.test(code) || (status !== 404 && EXPIRED_TEXT.test(message)))
    return { kind: 'url-expired' }
  if (CORRUPT_CODE.test(code) || CORRUPT_TEXT.test(message)) return { kind: 'part-corrupt' }
  if (status === 408 || /^RequestTimeout$/i.test(code)) {
    return { kind: 'timeout', detail: 'the storage gave up waiting for the bytes' }
  }
  return {
    kind: 'rejected',
    status,
    code: scrub(code),
    message: scrub(message),
    param: null,
    requestId,
  }
}

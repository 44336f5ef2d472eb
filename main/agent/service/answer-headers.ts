import type { IncomingHttpHeaders } from 'node:http'
import { redact } from '../../../shared/redaction/redact.ts'

export type AnswerHeaders = IncomingHttpHeaders

export const headerOf = (headers: AnswerHeaders, name: string): string | null => {
  const value = headers[name]
  return (Array.isArray(value) ? value[0] : value) ?? null
}

const MAX_REQUEST_ID_CHARS = 200

/** Shortens a request ID, and removes secrets and special characters, because users see and quote the ID. */
export const usableRequestId = (id: string | null | undefined): string | null => {
  const plain = (id ?? '').slice(0, MAX_REQUEST_ID_CHARS).replace(/[^\x21-\x7e]/g, '')
  return plain === '' ? null : redact(plain)
}

/** §2.1: the service sends `Request-Id`. Storages put their own prefix before that name. */
export const requestIdOfHeaders = (headers: AnswerHeaders): string | null => {
  const serviceId = usableRequestId(headerOf(headers, 'request-id'))
  if (serviceId !== null) return serviceId
  const name = Object.keys(headers).find((candidate) => candidate.endsWith('-request-id'))
  return name === undefined ? null : usableRequestId(headerOf(headers, name))
}

/** Requires the weekday of an HTTP date, because Date.parse would even accept "-3". */
const httpDateMs = (text: string | null): number | null => {
  const ms = /^[a-z]{3,9},? /i.test(text ?? '') ? Date.parse(text ?? '') : Number.NaN
  return Number.isNaN(ms) ? null : ms
}

export const dateMsOf = (headers: AnswerHeaders): number | null => httpDateMs(headerOf(headers, 'date'))

/**
 * Only a cache adds `Age` (RFC 9111, 5.1). `Age: 0` does not count: some proxies add it to an answer that they have
 * just fetched.
 */
export const isFromCache = (headers: AnswerHeaders): boolean => {
  const age = headerOf(headers, 'age')
  return age !== null && age.trim() !== '0'
}

const secondsOf = (text: string | null): number | null =>
  text !== null && /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : null

/** §7 defines `Retry-After` as a number of seconds. HTTP also allows a date, which counts by the sender's clock. */
export const retryAfterMsOf = (headers: AnswerHeaders, fallbackNowMs: number): number | null => {
  const value = headerOf(headers, 'retry-after')
  if (value === null) return null
  const seconds = secondsOf(value)
  if (seconds !== null) return seconds * 1000
  const at = httpDateMs(value)
  return at === null ? null : Math.max(0, at - (dateMsOf(headers) ?? fallbackNowMs))
}

export type RateLimitHeaders = {
  readonly limit: number | null
  readonly remaining: number
  readonly resetInMs: number
}

/** From this value on, a number means seconds since 1970. */
const MIN_EPOCH_SECONDS = 1_000_000_000

/** §8 does not define whether RateLimit-Reset counts from now or from 1970, so Sluice accepts both. */
export const rateLimitOf = (headers: AnswerHeaders, fallbackNowMs: number): RateLimitHeaders | null => {
  const remaining = secondsOf(headerOf(headers, 'ratelimit-remaining'))
  const reset = secondsOf(headerOf(headers, 'ratelimit-reset'))
  if (remaining === null || reset === null) return null
  const resetInMs =
    reset >= MIN_EPOCH_SECONDS ? reset * 1000 - (dateMsOf(headers) ?? fallbackNowMs) : reset * 1000
  return {
    limit: secondsOf(headerOf(headers, 'ratelimit-limit')),
    remaining: Math.floor(remaining),
    resetInMs: Math.max(0, resetInMs),
  }
}

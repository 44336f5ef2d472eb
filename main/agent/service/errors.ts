import type { Failure, Remote } from '../domain/failure.ts'
import { NEARBY_HOST } from './guarded-lookup.ts'
import { hasNetwork } from './network-addresses.ts'
import type { Scrub } from './scrub.ts'

const CERTIFICATE_CODES: ReadonlySet<string> = new Set([
  'CERT_CHAIN_TOO_LONG',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'CERT_REJECTED',
  'CERT_REVOKED',
  'CERT_SIGNATURE_FAILURE',
  'CERT_UNTRUSTED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'ERR_TLS_CERT_ALTNAME_FORMAT',
  'HOSTNAME_MISMATCH',
  'INVALID_CA',
  'INVALID_PURPOSE',
  'PATH_LENGTH_EXCEEDED',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UND_ERR_PRX_TLS',
])

const CERTIFICATE_TEXTS: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'the certificate has expired, or the clock of this PC is wrong',
  CERT_NOT_YET_VALID: 'the certificate is not valid yet, or the clock of this PC is wrong',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for a different name',
}

const TIMEOUT_TEXTS: Readonly<Record<string, string>> = {
  UND_ERR_CONNECT_TIMEOUT: 'no connection within the time limit',
  ETIMEDOUT: 'no connection within the time limit',
  UND_ERR_HEADERS_TIMEOUT: 'no answer within the time limit',
  UND_ERR_BODY_TIMEOUT: 'the answer stopped half-way',
}

const NETWORK_TEXTS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EPIPE: 'connection closed by the other side',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'no network',
  ENETDOWN: 'no network',
  ENOTFOUND: 'the host name was not found',
  EAI_AGAIN: 'host names cannot be resolved at the moment',
  EPROTO: 'no secure connection could be set up',
  UND_ERR_SOCKET: 'connection closed by the other side',
  UND_ERR_PRX_CONN: 'the proxy closed the connection',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'connection closed half-way through the answer',
}

/** With these codes, there was no connection at all, so the next request would fail in the same way. */
const NOT_CONNECTED: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENETDOWN',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPROTO',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_PRX_CONN',
])

/** Only a system without a network reports these error codes. */
const OFFLINE_CODES: ReadonlySet<string> = new Set(['ENETUNREACH', 'ENETDOWN'])
/** These codes may mean that there is no network, or only a wrong host name or a lost route. */
const MAYBE_OFFLINE_CODES: ReadonlySet<string> = new Set([
  'EADDRNOTAVAIL',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENOTFOUND',
])

const codeOf = (error: Error): string => {
  const { code, cause } = error as NodeJS.ErrnoException
  if (typeof code === 'string') return code
  return cause instanceof Error ? codeOf(cause) : ''
}

/** The codes for all addresses that Node tried. A single code may prove that this PC has a network. */
const codesOf = (error: Error): readonly string[] => {
  if (error instanceof AggregateError)
    return error.errors.flatMap((one) => (one instanceof Error ? codesOf(one) : []))
  const { code, cause } = error as NodeJS.ErrnoException
  if (typeof code === 'string') return [code]
  return cause instanceof Error ? codesOf(cause) : []
}

const isOffline = (error: Error, isNetworkUp: () => boolean): boolean => {
  const codes = codesOf(error)
  if (codes.length === 0) return false
  if (codes.every((code) => OFFLINE_CODES.has(code))) return true
  return codes.every((code) => OFFLINE_CODES.has(code) || MAYBE_OFFLINE_CODES.has(code)) && !isNetworkUp()
}

export type ErrorContext = {
  readonly origin: Remote
  readonly host: string
  readonly scrub: Scrub
  readonly trustProblem: string | null
}

/** Converts the error of a request without a complete answer. */
export const failureOfError = (
  error: Error,
  context: ErrorContext,
  isNetworkUp: () => boolean = hasNetwork,
): Failure => {
  const code = codeOf(error)
  const { origin } = context
  const connected = !NOT_CONNECTED.has(code)
  const describe = (text: string) =>
    context.scrub(`${context.host}: ${text}${code === '' ? '' : ` (${code})`}`)

  // Sluice itself closed the connection, for example to open a new one.
  if (code === 'UND_ERR_DESTROYED' || code === 'UND_ERR_CLOSED') return { kind: 'cancelled' }
  // If a proxy refuses the tunnel, only the text of the error contains the status.
  if (/^Proxy .*\b407\b/.test(error.message)) return { kind: 'proxy-sign-in', origin }
  if (/^Proxy response \(\d+\)/.test(error.message)) {
    const detail = describe(`the proxy refused the connection: ${error.message}`)
    return { kind: 'network', origin, connected: false, detail }
  }
  if (code === NEARBY_HOST)
    return { kind: 'host-refused', origin: 'storage', detail: context.scrub(error.message) }
  if (CERTIFICATE_CODES.has(code)) {
    const text = CERTIFICATE_TEXTS[code] ?? 'the certificate is not trusted on this PC'
    const trustHint = context.trustProblem === null ? '' : `; ${context.trustProblem}`
    return { kind: 'certificate', origin, detail: describe(`${text}${trustHint}`) }
  }
  const timeout = TIMEOUT_TEXTS[code]
  if (timeout !== undefined) return { kind: 'timeout', origin, connected, detail: describe(timeout) }
  if (error.name === 'HTTPParserError' || code === 'UND_ERR_HEADERS_OVERFLOW') {
    return { kind: 'foreign-answer', origin, detail: describe('the answer is not HTTP'), requestId: null }
  }
  const detail = describe(NETWORK_TEXTS[code] ?? error.message)
  if (isOffline(error, isNetworkUp))
    return { kind: 'network', origin, connected: false, isOffline: true, detail }
  return { kind: 'network', origin, connected, detail }
}

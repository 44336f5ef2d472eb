import { createHmac, timingSafeEqual } from 'node:crypto'

/**
 * Verifies one webhook delivery of the service (§6.3) and reads its event (§6.2). You can copy this file into your own
 * receiver: it needs only Node. `verifyWebhook` never throws, whatever the sender sends.
 */

/** §6.2. `verifyWebhook` accepts events of unknown types too. */
export type DeliveredEvent = {
  /** `evt_<id>`. The same event may arrive more than once and out of order. */
  readonly id: string
  readonly type: string
  readonly createdAt: string | null
  /** `data.object`. Its shape is unknown for export events. */
  readonly object: Readonly<Record<string, unknown>>
}

/**
 * `header-missing`, `header-malformed`: no signature in the service's format. `signature-wrong`: signed with a
 * different secret, or for a different body. `too-old`, `too-new`: the signature is valid, but its time and the
 * receiver's clock differ by more than the tolerance. `body-unreadable`: signed by the service, but not an event.
 */
export type RefusalReason =
  | 'header-missing'
  | 'header-malformed'
  | 'signature-wrong'
  | 'too-old'
  | 'too-new'
  | 'body-unreadable'

export type VerifiedWebhook =
  | { readonly ok: true; readonly event: DeliveredEvent }
  | { readonly ok: false; readonly reason: RefusalReason }

export type WebhookDelivery = {
  /** The body as it arrived. Parsing and serialising it again would change the signed bytes. */
  readonly rawBody: Uint8Array
  /** The value of `Service-Signature`. */
  readonly header: string | null | undefined
  /** The secret of the endpoint. While a new endpoint replaces an old one, the secrets of both. */
  readonly secret: string | readonly string[]
  /** The receiver's clock, in milliseconds since 1970. */
  readonly nowMs: number
  /** How far the time of the signature and the receiver's clock may differ (§8). */
  readonly toleranceSeconds?: number
}

const TOLERANCE_SECONDS = 300
/** The service sends one signature. Checking a forged header with many signatures would cost time. */
const MAX_SIGNATURES = 10
const MAX_HEADER_LENGTH = 4_096
const MAX_ID_LENGTH = 255

const refuse = (reason: RefusalReason): VerifiedWebhook => ({ ok: false, reason })

export const verifyWebhook = (delivery: WebhookDelivery): VerifiedWebhook => {
  const { rawBody, header, nowMs, toleranceSeconds = TOLERANCE_SECONDS } = delivery
  if (typeof header !== 'string' || header === '') return refuse('header-missing')
  const signatureHeader = readHeader(header)
  if (signatureHeader === null) return refuse('header-malformed')
  const secrets = typeof delivery.secret === 'string' ? [delivery.secret] : delivery.secret
  if (!isSignedWith(secrets, signatureHeader, rawBody)) return refuse('signature-wrong')
  // Check the time after the signature, so that a sender without the secret learns nothing about this clock.
  const aheadSeconds = Number(signatureHeader.timestamp) - Math.floor(nowMs / 1000)
  // The negation also refuses NaN.
  if (!(Math.abs(aheadSeconds) <= toleranceSeconds)) return refuse(aheadSeconds > 0 ? 'too-new' : 'too-old')
  const event = readEvent(rawBody)
  return event === null ? refuse('body-unreadable') : { ok: true, event }
}

type SignatureHeader = { readonly timestamp: string; readonly digests: readonly Buffer[] }

/** `t=<unix seconds>,v1=<hex>` (§6.3). A later version of the service may send several `v1` or unknown fields. */
const readHeader = (header: string): SignatureHeader | null => {
  if (header.length > MAX_HEADER_LENGTH) return null
  const fields = header.split(',').map((field) => {
    const at = field.indexOf('=')
    return at < 0 ? null : { name: field.slice(0, at).trim(), value: field.slice(at + 1).trim() }
  })
  const valuesOf = (name: string) => fields.flatMap((field) => (field?.name === name ? [field.value] : []))
  const [timestamp, ...moreTimestamps] = valuesOf('t')
  const signatures = valuesOf('v1')
  if (timestamp === undefined || moreTimestamps.length > 0 || !/^\d{1,12}$/.test(timestamp)) return null
  if (signatures.length === 0 || signatures.length > MAX_SIGNATURES) return null
  if (!signatures.every((signature) => /^[0-9a-f]{64}$/.test(signature))) return null
  return { timestamp, digests: signatures.map((signature) => Buffer.from(signature, 'hex')) }
}

/** Compares every secret with every signature, without an early exit, so that the timing reveals nothing. */
const isSignedWith = (
  secrets: readonly string[],
  signatureHeader: SignatureHeader,
  rawBody: Uint8Array,
): boolean => {
  let matches = false
  for (const secret of secrets) {
    // Skip an empty secret: any sender could sign with it.
    if (secret === '') continue
    const expectedDigest = createHmac('sha256', secret)
      .update(`${signatureHeader.timestamp}.`)
      .update(rawBody)
      .digest()
    for (const digest of signatureHeader.digests) if (timingSafeEqual(expectedDigest, digest)) matches = true
  }
  return matches
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const readEvent = (rawBody: Uint8Array): DeliveredEvent | null => {
  let body: unknown
  try {
    body = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(rawBody))
  } catch {
    return null
  }
  if (!isObject(body) || !isObject(body.data) || !isObject(body.data.object)) return null
  const { id, type, created_at } = body
  if (!isName(id) || !isName(type)) return null
  return { id, type, createdAt: typeof created_at === 'string' ? created_at : null, object: body.data.object }
}

const isName = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= MAX_ID_LENGTH

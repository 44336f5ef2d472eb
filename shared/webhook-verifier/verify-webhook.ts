import { createHmac, timingSafeEqual } from 'node:crypto'

/**
 * Verifies one delivery of the service's webhooks (§6.3) and reads its event (§6.2). For this station's receiver, and for
 * any other: it needs nothing but Node. It never throws, whatever bytes it is given.
 */

/** §6.2. An event of a kind that is not known yet is an event all the same. */
export type DeliveredEvent = {
  /** `evt_<id>`; the same event may arrive more than once and out of order. */
  readonly id: string
  readonly type: string
  readonly createdAt: string | null
  /** `data.object`; of export events its shape is not known. */
  readonly object: Readonly<Record<string, unknown>>
}

/**
 * `header-missing`, `header-malformed`: no signature of the service's form. `signature-wrong`: made with another secret,
 * or of another body. `too-old`, `too-new`: the signature is right, and the two clocks differ by more than is tolerated.
 * `body-unreadable`: signed by the service, and no event.
 */
export type RefusedBecause =
  | 'header-missing'
  | 'header-malformed'
  | 'signature-wrong'
  | 'too-old'
  | 'too-new'
  | 'body-unreadable'

export type VerifiedWebhook =
  | { readonly ok: true; readonly event: DeliveredEvent }
  | { readonly ok: false; readonly reason: RefusedBecause }

export type WebhookDelivery = {
  /** The body as it arrived: parsed and written again it is another one. */
  readonly rawBody: Uint8Array
  /** The value of `Service-Signature`. */
  readonly header: string | null | undefined
  /** Of the endpoint; several while one endpoint replaces another. */
  readonly secret: string | readonly string[]
  /** The receiver's clock, in milliseconds since 1970. */
  readonly nowMs: number
  /** How far the two clocks may be apart (§8). */
  readonly toleranceSeconds?: number
}

const TOLERANCE_SECONDS = 300
/** The service sends one signature; a header of hundreds is no reason to compute for long. */
const MOST_SIGNATURES = 10
const LONGEST_HEADER = 4_096
const LONGEST_ID = 255

const no = (reason: RefusedBecause): VerifiedWebhook => ({ ok: false, reason })

export const verifyWebhook = (delivery: WebhookDelivery): VerifiedWebhook => {
  const { rawBody, header, nowMs, toleranceSeconds = TOLERANCE_SECONDS } = delivery
  if (typeof header !== 'string' || header === '') return no('header-missing')
  const signed = readHeader(header)
  if (signed === null) return no('header-malformed')
  const secrets = typeof delivery.secret === 'string' ? [delivery.secret] : delivery.secret
  if (!isSignedWith(secrets, signed, rawBody)) return no('signature-wrong')
  // Only now: who does not know the secret learns nothing of this clock.
  const aheadSeconds = Number(signed.timestamp) - Math.floor(nowMs / 1000)
  // Asked this way round, a clock that tells no number refuses.
  if (!(Math.abs(aheadSeconds) <= toleranceSeconds)) return no(aheadSeconds > 0 ? 'too-new' : 'too-old')
  const event = readEvent(rawBody)
  return event === null ? no('body-unreadable') : { ok: true, event }
}

type Signed = { readonly timestamp: string; readonly digests: readonly Buffer[] }

/** `t=<unix seconds>,v1=<hex>` (§6.3). Several `v1` are taken, and names that are not known left, as a later version may send them. */
const readHeader = (header: string): Signed | null => {
  if (header.length > LONGEST_HEADER) return null
  const fields = header.split(',').map((field) => {
    const at = field.indexOf('=')
    return at < 0 ? null : { name: field.slice(0, at).trim(), value: field.slice(at + 1).trim() }
  })
  const valuesOf = (name: string) => fields.flatMap((field) => (field?.name === name ? [field.value] : []))
  const [timestamp, ...moreTimestamps] = valuesOf('t')
  const signatures = valuesOf('v1')
  if (timestamp === undefined || moreTimestamps.length > 0 || !/^\d{1,12}$/.test(timestamp)) return null
  if (signatures.length === 0 || signatures.length > MOST_SIGNATURES) return null
  if (!signatures.every((signature) => /^[0-9a-f]{64}$/.test(signature))) return null
  return { timestamp, digests: signatures.map((signature) => Buffer.from(signature, 'hex')) }
}

/** Every secret against every signature, to the end: how long it takes tells neither which one fits nor how nearly. */
const isSignedWith = (secrets: readonly string[], signed: Signed, rawBody: Uint8Array): boolean => {
  let fits = false
  for (const secret of secrets) {
    // An empty key is known to everybody.
    if (secret === '') continue
    const expected = createHmac('sha256', secret).update(`${signed.timestamp}.`).update(rawBody).digest()
    for (const digest of signed.digests) if (timingSafeEqual(expected, digest)) fits = true
  }
  return fits
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
  typeof value === 'string' && value !== '' && value.length <= LONGEST_ID

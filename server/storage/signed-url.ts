import { createHmac, timingSafeEqual } from 'node:crypto'
import type { DirectParts } from './direct-parts.ts'
import type { PartAddress, SigningTerms } from './signing-terms.ts'

const algorithm = 'SLUICE-HMAC-SHA256'

export type UrlSigner = {
  readonly secret: Buffer
  readonly uploadUrl: string
  readonly checksumHeader: string
  /** Null if stations upload to the server. */
  readonly directParts: DirectParts | null
}

/**
 * Signs a URL of the storage itself if stations upload there directly, otherwise an S3-like URL of the storage server.
 * The checksum is still unknown. So the query only names its header (`X-Amz-SignedHeaders`), and the storage server
 * checks the value when the part arrives.
 */
export function signPartUrl(
  signer: UrlSigner,
  part: PartAddress & { readonly bytes: number },
  terms: SigningTerms,
): string {
  if (signer.directParts !== null) return signer.directParts.signUrl(part, part.bytes, terms)
  const path = `/${part.sessionId}/${part.number}`
  const query = new URLSearchParams({
    'X-Amz-Algorithm': algorithm,
    'X-Amz-Credential': `sluice/${terms.epoch}`,
    'X-Amz-Date': amzDate(terms.nowMs),
    'X-Amz-Expires': String(terms.lifetimeS),
    'X-Amz-SignedHeaders': `content-length;${signer.checksumHeader}`,
  }).toString()
  return `${signer.uploadUrl}${path}?${query}&X-Amz-Signature=${computeSignature(signer, path, query)}`
}

export function urlsExpireAtMs(terms: SigningTerms): number {
  return Math.floor(terms.nowMs / 1000) * 1000 + terms.lifetimeS * 1000
}

export type UrlVerdict =
  | { readonly kind: 'valid'; readonly part: PartAddress }
  | { readonly kind: 'not-signed' | 'bad-signature' | 'expired' | 'no-such-path' }

/** `target` is the path and query exactly as the client sent them: any changed byte breaks the signature. */
export function verifyPartUrl(signer: UrlSigner, target: string, nowMs: number, epoch: number): UrlVerdict {
  const match = /^(\/(ses_[0-9a-z]+)\/([1-9][0-9]{0,4}))(?:\?(.*))?$/.exec(target)
  if (match === null) return { kind: 'no-such-path' }
  const [, path = '', sessionId = '', number = '', query = ''] = match
  const signatureMatch = /^(.*)&X-Amz-Signature=([0-9a-f]{64})$/.exec(query)
  if (signatureMatch === null)
    return { kind: query.includes('X-Amz-Signature=') ? 'bad-signature' : 'not-signed' }
  const [, signedQuery = '', sentSignature = ''] = signatureMatch
  const expected = computeSignature(signer, path, signedQuery)
  if (!timingSafeEqual(Buffer.from(sentSignature, 'hex'), Buffer.from(expected, 'hex')))
    return { kind: 'bad-signature' }
  const fields = new URLSearchParams(signedQuery)
  const signedAtMs = parseAmzDate(fields.get('X-Amz-Date') ?? '')
  const expiresAtMs = signedAtMs + Number(fields.get('X-Amz-Expires')) * 1000
  const isCurrentEpoch = fields.get('X-Amz-Credential') === `sluice/${epoch}`
  if (!isCurrentEpoch || !(nowMs < expiresAtMs)) return { kind: 'expired' }
  return { kind: 'valid', part: { sessionId, number: Number(number) } }
}

function computeSignature(signer: UrlSigner, path: string, query: string): string {
  // The signature leaves out the host, so that a URL stays valid after a restart on a different port.
  return createHmac('sha256', signer.secret).update(`PUT\n${path}\n${query}`).digest('hex')
}

function amzDate(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`
}

function parseAmzDate(text: string): number {
  const match = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z$/.exec(text)
  if (match === null) return Number.NaN
  const [, year, month, day, hour, minute, second] = match.map(Number)
  return Date.UTC(year!, month! - 1, day!, hour!, minute!, second!)
}

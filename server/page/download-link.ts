import { createHmac, timingSafeEqual } from 'node:crypto'

export type LinkTerms = {
  readonly sessionId: string
  /** The ID of the key that requested the link. The link ends when the key is revoked. */
  readonly keyId: string
  readonly expiresAtS: number
  /** A new epoch invalidates every link of earlier epochs. */
  readonly epoch: number
}

export type LinkVerdict =
  | { readonly kind: 'valid'; readonly terms: LinkTerms }
  | { readonly kind: 'bad-signature' }
  | { readonly kind: 'expired' }

/**
 * A browser cannot send a key with a download, so a signature in the link replaces the key. The link is a path without
 * a host, so it works at every address of the server.
 */
export function signDownloadLink(secret: Buffer, terms: LinkTerms): string {
  const target = `/page/downloads/${terms.sessionId}?key=${terms.keyId}&expires=${terms.expiresAtS}&epoch=${terms.epoch}`
  return `${target}&signature=${computeSignature(secret, target)}`
}

const linkPattern =
  /^(\/page\/downloads\/(ses_[0-9a-z]+)\?key=(key_[0-9a-z]+)&expires=(\d{1,12})&epoch=(\d{1,12}))&signature=([0-9a-f]{64})$/

/** `target` is path and query of the request line, exactly as sent: any changed byte breaks the signature. */
export function verifyDownloadLink(
  secret: Buffer,
  target: string,
  nowMs: number,
  epoch: number,
): LinkVerdict {
  const match = linkPattern.exec(target)
  if (match === null) return { kind: 'bad-signature' }
  const [, signedTarget = '', sessionId = '', keyId = '', expires, linkEpoch, signature = ''] = match
  const expected = computeSignature(secret, signedTarget)
  if (!timingSafeEqual(Buffer.from(signature, 'hex'), Buffer.from(expected, 'hex')))
    return { kind: 'bad-signature' }
  const terms = { sessionId, keyId, expiresAtS: Number(expires), epoch: Number(linkEpoch) }
  const isExpired = terms.epoch !== epoch || nowMs >= terms.expiresAtS * 1000
  return isExpired ? { kind: 'expired' } : { kind: 'valid', terms }
}

/**
 * The same secret signs part URLs. The signed text of a part URL begins with `PUT`, so no signature is valid for both.
 */
function computeSignature(secret: Buffer, target: string): string {
  return createHmac('sha256', secret).update(`GET\n${target}`).digest('hex')
}

import { createHash, createPublicKey, verify } from 'node:crypto'
import { z } from 'zod'
import { channelName, versionText } from '../../../shared/settings/update-settings.ts'
import type { FeedIndex } from '../domain/update-rules.ts'

/**
 * The signed index of an update feed, `feed.json`, which `scripts/building/update-feed.mjs` writes. Index and signature
 * are in one file, because a web server could serve a new index with an old signature.
 */

const PRODUCT = 'sluice'
/** The signature also covers this text. So the key's signature of any other kind of file is invalid here. */
const SIGNED_PREFIX = 'sluice update feed 1\n'

const envelope = z.object({ signed: z.string(), signature: z.base64() })

const release = z.object({
  channel: channelName,
  version: versionText,
  system: z.enum(['win32', 'linux', 'darwin']),
  machine: z.enum(['x64', 'arm64']),
  /** A file name without a path, because Sluice saves the file under this name. */
  file: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/),
  size: z.int().min(1).max(4e9),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  released_at: z.iso.datetime(),
})

const indexSchema = z.object({
  product: z.string(),
  sequence: z.int().min(1),
  expires_at: z.iso.datetime(),
  releases: z.array(release).max(1_000),
})

export type IndexRead =
  | { readonly ok: true; readonly index: FeedIndex }
  | { readonly ok: false; readonly reason: string }

const refused = (reason: string): IndexRead => ({ ok: false, reason })

const isSignedBy = (key: string, signed: string, signature: string): boolean => {
  const publicKey = createPublicKey({ key: Buffer.from(key, 'base64'), format: 'der', type: 'spki' })
  return verify(null, Buffer.from(SIGNED_PREFIX + signed), publicKey, Buffer.from(signature, 'base64'))
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Checks the signature before it parses the signed content. */
export const readFeedIndex = (bytes: Uint8Array, keys: readonly string[], nowMs: number): IndexRead => {
  const sealed = envelope.safeParse(parseJson(Buffer.from(bytes).toString('utf8')))
  if (!sealed.success) return refused('is not an update index')
  const { signed, signature } = sealed.data
  if (!keys.some((key) => isSignedBy(key, signed, signature))) return refused('has a wrong signature')
  const parsed = indexSchema.safeParse(parseJson(signed))
  if (!parsed.success) return refused('has a format that this version does not know')
  const { product, sequence, expires_at, releases } = parsed.data
  if (product !== PRODUCT) return refused('is the feed of a different product')
  const expiresAtMs = Date.parse(expires_at)
  if (expiresAtMs <= nowMs) return refused(`expired at ${expires_at}`)
  return {
    ok: true,
    index: {
      sequence,
      expiresAtMs,
      releases: releases.map(({ size, released_at, ...fields }) => ({
        ...fields,
        sizeBytes: size,
        releasedAt: released_at,
      })),
    },
  }
}

/** A sequence number is valid only for the keys with this fingerprint. */
export const keysFingerprint = (keys: readonly string[]): string =>
  createHash('sha256').update(keys.toSorted().join('\n')).digest('base64url').slice(0, 12)

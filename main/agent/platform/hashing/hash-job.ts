import type { Failure } from '../../domain/failure.ts'
import type { FileIdentity } from '../../domain/file-identity.ts'
import type { ByteRange, RangeDigest } from '../../ports.ts'
import type { HashRing } from './hash-ring.ts'

/** What the pool tells both threads of a pair, and what each answers once. */

export type HashJob = {
  readonly ring: HashRing
  readonly path: string
  /** The watched folder that the file has to lie in, if there is one. */
  readonly root: string | null
  readonly identity: FileIdentity
  readonly partSizeBytes: number
}

export type ReaderAnswer =
  | { readonly kind: 'whole'; readonly sha256: string }
  | { readonly kind: 'failed'; readonly failure: Failure }

export type PartsAnswer =
  | { readonly kind: 'parts'; readonly sha256: readonly string[] }
  | { readonly kind: 'stopped' }

export type RangeJob = {
  readonly algorithm: RangeDigest
  readonly path: string
  readonly root: string | null
  readonly range: ByteRange
}

export type RangeAnswer =
  | { readonly kind: 'digest'; readonly hex: string }
  | { readonly kind: 'failed'; readonly failure: Failure }

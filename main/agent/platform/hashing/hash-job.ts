import type { Failure } from '../../domain/failure.ts'
import type { FileIdentity } from '../../domain/file-identity.ts'
import type { ByteRange, RangeDigest } from '../../ports/hashing.ts'
import type { HashRing } from './hash-ring.ts'

/** What the pools tell both threads of a pair, and what each answers once. */

export type HashJob = {
  readonly ring: HashRing
  readonly path: string
  /** The watched folder that the file has to lie in, if there is one. */
  readonly root: string | null
  /** As it was last seen. One that ends here has to be just that; one that grows may have gone on. */
  readonly identity: FileIdentity
  readonly partSizeBytes: number
  readonly from: number
  readonly to: number
  /** Kept under this number for the next stretch; null for a file that is hashed in one go. */
  readonly running: number | null
  /** The file ends at `to`: both digests are finished, once what was hashed before is seen to be as it was. */
  readonly ends: boolean
}

/** Of a file whose recording has gone another way. */
export type ForgetJob = { readonly forget: number }

export type ReaderAnswer =
  | { readonly kind: 'whole'; readonly sha256: string }
  | { readonly kind: 'advanced'; readonly identity: FileIdentity }
  /** What was hashed is no longer what the file holds. `rewritten`: by a writer that goes back. */
  | { readonly kind: 'stale'; readonly rewritten: boolean }
  | { readonly kind: 'failed'; readonly failure: Failure }

export type PartsAnswer =
  /** Of a stretch that does not end the file: none yet. */
  { readonly kind: 'parts'; readonly sha256: readonly string[] } | { readonly kind: 'stopped' }

export type RangeJob = {
  readonly algorithm: RangeDigest
  readonly path: string
  readonly root: string | null
  readonly range: ByteRange
}

export type RangeAnswer =
  | { readonly kind: 'digest'; readonly hex: string }
  | { readonly kind: 'failed'; readonly failure: Failure }

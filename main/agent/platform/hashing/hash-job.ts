import type { Failure } from '../../domain/failure.ts'
import type { FileIdentity } from '../../domain/file-identity.ts'
import type { ByteRange, RangeDigest } from '../../ports/hashing.ts'
import type { HashRing } from './hash-ring.ts'

/** The messages from the hash pools to their threads, and the answers of the threads. */

export type HashJob = {
  readonly ring: HashRing
  readonly path: string
  /** The watched folder that must contain the file, if any. */
  readonly root: string | null
  /**
   * The last known identity. The file must match it when Sluice hashes the last range. Before that, the file may have
   * grown.
   */
  readonly identity: FileIdentity
  readonly partSizeBytes: number
  readonly from: number
  readonly to: number
  /** The threads keep their hash state for the next range under this id. Null if one range is the whole file. */
  readonly hashId: number | null
  /**
   * True if the file ends at `to`. Then the threads finish their digests, and the reading thread checks that the hashed
   * content is unchanged.
   */
  readonly isLastRange: boolean
}

/** Tells the threads to drop the hash state with this id. */
export type ForgetJob = { readonly forget: number }

export type ReaderAnswer =
  | { readonly kind: 'whole'; readonly sha256: string }
  | { readonly kind: 'advanced'; readonly identity: FileIdentity }
  /**
   * The hashed content no longer matches the file, or the hash state is lost. `rewritten`: a program overwrote this
   * content.
   */
  | { readonly kind: 'stale'; readonly rewritten: boolean }
  | { readonly kind: 'failed'; readonly failure: Failure }

export type PartsAnswer =
  /** `sha256` is empty unless this was the last range. */
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

import type { Outcome } from '../domain/failure.ts'
import type { FileIdentity } from '../domain/file-identity.ts'

export type HashRequest = {
  readonly path: string
  readonly identity: FileIdentity
  readonly partSizeBytes: number
  readonly onProgress: (bytesHashed: number) => void
  readonly signal: AbortSignal
}

export type HashResult = {
  readonly sha256: string
  /** Hex, in order; the last part is the short one. */
  readonly partSha256: readonly string[]
}

export type RangeDigest = 'md5' | 'sha256'

export type ByteRange = { readonly start: number; readonly length: number }

/** The threads that read whole files. */
export type HashThreads = {
  readonly hash: (request: HashRequest) => Promise<Outcome<HashResult>>
  /** Hex digest of a range as it is now: SHA-256 of a refused part, MD5 for the storage's ETag convention. */
  readonly digest: (algorithm: RangeDigest, path: string, range: ByteRange) => Promise<Outcome<string>>
  readonly close: () => Promise<void>
}

export type Advance =
  /** Hashed up to here; less than asked where that was not to be had. */
  | { readonly kind: 'advanced'; readonly bytes: number }
  /** Nothing of it holds any more. `rewritten`: by a writer that goes back to what it wrote. */
  | { readonly kind: 'lost'; readonly rewritten: boolean }

/**
 * Hashes of files that are still being written. No truth: what is forgotten here is read again. A recording is known
 * by its number, since files are renamed when they are finished.
 */
export type RunningHashes = {
  /** Goes on up to `toBytes`, from where it stands; from the beginning with another part size. */
  readonly advance: (request: {
    readonly id: number
    readonly path: string
    readonly identity: FileIdentity
    readonly partSizeBytes: number
    readonly toBytes: number
    readonly signal: AbortSignal
  }) => Promise<Outcome<Advance>>
  /**
   * The digests of a file that is finished, from what is left of it; null where what was hashed is no longer what
   * the file holds, or was cut otherwise, and all of it has to be read. It is kept until it is forgotten.
   */
  readonly finish: (request: HashRequest & { readonly id: number }) => Promise<Outcome<HashResult | null>>
  readonly partSizeOf: (id: number) => number | null
  readonly bytesOf: (id: number) => number
  readonly ids: () => readonly number[]
  readonly forget: (id: number) => void
  readonly close: () => Promise<void>
}

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
  /** The digests of the parts as hex, in order. The last part may be shorter. */
  readonly partSha256: readonly string[]
}

export type RangeDigest = 'md5' | 'sha256'

export type ByteRange = { readonly start: number; readonly length: number }

/** The threads that read whole files. */
export type HashThreads = {
  readonly hash: (request: HashRequest) => Promise<Outcome<HashResult>>
  /**
   * The hex digest of a range of the file as it is now: SHA-256 to check a part that the storage refused, or MD5 to
   * guess an ETag.
   */
  readonly digest: (algorithm: RangeDigest, path: string, range: ByteRange) => Promise<Outcome<string>>
  readonly close: () => Promise<void>
}

export type Advance =
  /** The file is hashed up to `bytes`. This may be less than requested, because ranges end at a multiple of 1 MiB. */
  | { readonly kind: 'advanced'; readonly bytes: number }
  /** The hash no longer matches the file, or the threads have lost it. `rewritten`: a program changed hashed bytes. */
  | { readonly kind: 'lost'; readonly rewritten: boolean }

/**
 * Hashes of files that are still being written. They only save time: if a hash is lost, Sluice reads the file again.
 * The key is the ID of the recording, because a recorder may rename its file.
 */
export type RunningHashes = {
  /** Continues the hash from the current position to `toBytes`. A different part size restarts the hash. */
  readonly advance: (request: {
    readonly id: number
    readonly path: string
    readonly identity: FileIdentity
    readonly partSizeBytes: number
    readonly toBytes: number
    readonly signal: AbortSignal
  }) => Promise<Outcome<Advance>>
  /**
   * The digests of a finished file. Reads only the bytes that are not hashed yet. Null if the hash is of no use, for
   * example because hashed bytes have changed. Returns the digests once, then null. `partSizeOf` and `bytesOf` keep
   * their values until `forget`.
   */
  readonly finish: (request: HashRequest & { readonly id: number }) => Promise<Outcome<HashResult | null>>
  readonly partSizeOf: (id: number) => number | null
  readonly bytesOf: (id: number) => number
  readonly ids: () => readonly number[]
  readonly forget: (id: number) => void
  readonly close: () => Promise<void>
}

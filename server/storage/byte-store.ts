import type { IncomingMessage } from 'node:http'

export type ExpectedBody = {
  readonly bytes: number
  readonly sha256: Buffer
  /** True: the ETag is the MD5, as in S3. */
  readonly wantsMd5: boolean
}

export type ReceiveResult =
  | { readonly kind: 'stored'; readonly md5: string | null }
  /** The whole body arrived, but its SHA-256 differs. */
  | { readonly kind: 'bad-digest' }
  /** The client disconnected before the end. */
  | { readonly kind: 'aborted' }

/** Without the byte at `end`. */
export type ByteRange = { readonly start: number; readonly end: number }

/** Random access to the bytes of one part. */
export type ByteReader = {
  /** Shorter than requested only at the end. */
  read(position: number, length: number): Promise<Buffer>
  close(): Promise<void>
}

/**
 * The port for stored bytes: files in a folder, or objects in S3. Each upload gets its own name. The row of a part is
 * written after its bytes are complete and durable. Bytes without a row are leftovers.
 */
export type ByteStore = {
  newName(sessionId: string, number: number): string
  /** Streams a body into new bytes and verifies it meanwhile. Memory use stays constant for any size. */
  receive(name: string, body: IncomingMessage, expected: ExpectedBody): Promise<ReceiveResult>
  put(name: string, bytes: Buffer): Promise<void>
  open(name: string): Promise<ByteReader>
  /**
   * All bytes in order, or a range of at least one byte. A chunk is valid until the next chunk is read. Throws a
   * `MissingBytesError` if the bytes were deleted.
   */
  chunks(name: string, range?: ByteRange): AsyncIterable<Uint8Array>
  /** Ignores bytes that do not exist. */
  remove(name: string): Promise<void>
  /** All names, each with the time at which its bytes were stored. */
  names(): AsyncIterable<StoredName>
}

export type StoredName = { readonly name: string; readonly storedAtMs: number }

export class MissingBytesError extends Error {}

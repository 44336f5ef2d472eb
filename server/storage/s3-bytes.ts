import { createHash, type Hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { Readable, Transform } from 'node:stream'
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import type { RandomBytes } from '../ids.ts'
import { StartError } from '../start-error.ts'
import {
  type ByteRange,
  type ByteReader,
  type ByteStore,
  type ExpectedBody,
  MissingBytesError,
  type ReceiveResult,
  type StoredName,
} from './byte-store.ts'
import type { DirectParts } from './direct-parts.ts'
import { S3DirectParts } from './s3-direct-parts.ts'

export type S3Location = {
  readonly bucket: string
  /** Empty, or ends with a slash. */
  readonly prefix: string
  readonly region: string
  /** Absent for AWS itself. */
  readonly endpoint?: string
  /** Absent: the AWS SDK uses its default credential chain. */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string }
}

const connectTimeoutMs = 10_000
/** Timeout of a connection on which no byte moves in either direction. */
const idleTimeoutMs = 60_000

const silentLogger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

/**
 * Stores each part as an object of an S3 bucket. It does not use the multipart uploads of S3, because completion reads
 * the parts to verify the whole file. S3 cannot read the parts of an unfinished multipart upload.
 */
export class S3Bytes implements ByteStore {
  readonly #client: S3Client
  readonly #bucket: string
  readonly #prefix: string
  readonly #random: RandomBytes
  readonly #location: S3Location

  constructor(location: S3Location, random: RandomBytes) {
    this.#location = location
    this.#bucket = location.bucket
    this.#prefix = location.prefix
    this.#random = random
    this.#client = new S3Client({
      region: location.region,
      // Storages other than AWS rarely have a DNS name for each bucket.
      ...(location.endpoint === undefined ? {} : { endpoint: location.endpoint, forcePathStyle: true }),
      ...(location.credentials === undefined ? {} : { credentials: location.credentials }),
      // The SDK would send its own checksums as HTTP trailers, which older storages do not read. The signed SHA-256
      // already protects the bytes.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      // Otherwise the SDK writes warnings to the terminal.
      logger: silentLogger,
      requestHandler: {
        connectionTimeout: connectTimeoutMs,
        socketTimeout: idleTimeoutMs,
        httpAgent: { keepAlive: true, maxSockets: 256 },
        httpsAgent: { keepAlive: true, maxSockets: 256 },
      },
    })
  }

  newName(sessionId: string, number: number): string {
    return `${sessionId}-${number}-${this.#random(6).toString('hex')}`
  }

  /** Throws a StartError if a setting for signed URLs is missing. */
  directParts(): DirectParts {
    const { endpoint, credentials } = this.#location
    if (endpoint === undefined || credentials === undefined)
      throw new StartError(
        'direct_parts needs an endpoint in bytes, and a key in s3_access_key_id and s3_secret_key_file.',
      )
    return new S3DirectParts({ ...this.#location, endpoint, credentials, client: this.#client })
  }

  /** Throws if the bucket cannot be reached. */
  async check(): Promise<void> {
    await this.#client.send(new HeadBucketCommand({ Bucket: this.#bucket }))
  }

  async receive(name: string, body: IncomingMessage, expected: ExpectedBody): Promise<ReceiveResult> {
    const md5 = expected.wantsMd5 ? createHash('md5') : null
    const verifiedBody = new VerifiedBody(expected.sha256, md5)
    const abort = new AbortController()
    // `pipe` does not forward errors. After an error, abort the request to S3, so that S3 stores no incomplete object.
    verifiedBody.once('error', () => abort.abort())
    body.once('error', () => verifiedBody.destroy(new ClientGone()))
    body.once('close', () => {
      if (!body.complete) verifiedBody.destroy(new ClientGone())
    })
    if (body.destroyed && !body.complete) return { kind: 'aborted' }
    body.pipe(verifiedBody)
    try {
      if (expected.bytes === 0) {
        for await (const _ of verifiedBody);
        await this.put(name, Buffer.alloc(0))
      } else
        await this.#send(name, verifiedBody, expected.bytes, expected.sha256.toString('hex'), abort.signal)
    } catch (error) {
      if (verifiedBody.errored instanceof ClientGone) return { kind: 'aborted' }
      if (verifiedBody.errored instanceof BadDigest) return { kind: 'bad-digest' }
      // Detach the body, because the server must read the rest of it. Otherwise the client could not read the answer.
      body.unpipe(verifiedBody)
      verifiedBody.destroy()
      throw error
    }
    return { kind: 'stored', md5: md5?.digest('hex') ?? null }
  }

  put(name: string, bytes: Buffer): Promise<void> {
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    return this.#send(name, bytes, bytes.length, sha256)
  }

  async open(name: string): Promise<ByteReader> {
    return {
      read: async (position, length) => {
        if (length === 0) return Buffer.alloc(0)
        const range = { start: position, end: position + length }
        const chunks: Uint8Array[] = []
        for await (const chunk of await this.#get(name, range)) chunks.push(chunk as Uint8Array)
        return Buffer.concat(chunks)
      },
      close: async () => {},
    }
  }

  async *chunks(name: string, range?: ByteRange): AsyncGenerator<Uint8Array> {
    yield* await this.#get(name, range)
  }

  async remove(name: string): Promise<void> {
    await this.#client.send(new DeleteObjectCommand({ Bucket: this.#bucket, Key: this.#prefix + name }))
  }

  async *names(): AsyncGenerator<StoredName> {
    let token: string | undefined
    do {
      const page = await this.#client.send(
        new ListObjectsV2Command({ Bucket: this.#bucket, Prefix: this.#prefix, ContinuationToken: token }),
      )
      for (const { Key, LastModified } of page.Contents ?? []) {
        const storedAtMs = LastModified?.getTime() ?? Number.POSITIVE_INFINITY
        yield { name: (Key ?? '').slice(this.#prefix.length), storedAtMs }
      }
      token = page.NextContinuationToken
    } while (token !== undefined)
  }

  close(): void {
    this.#client.destroy()
  }

  /**
   * The signature covers the SHA-256, so the storage verifies the bytes too. The SDK does not retry a stream, because a
   * stream can be read only once.
   */
  async #send(
    name: string,
    body: Readable | Buffer,
    bytes: number,
    sha256: string,
    signal?: AbortSignal,
  ): Promise<void> {
    const command = new PutObjectCommand({
      Bucket: this.#bucket,
      Key: this.#prefix + name,
      Body: body,
      ContentLength: bytes,
    })
    command.middlewareStack.add(
      (next) => (args) => {
        const { headers } = args.request as { headers: Record<string, string> }
        headers['x-amz-content-sha256'] = sha256
        return next(args)
      },
      { step: 'build', name: 'signedSha256' },
    )
    await this.#client.send(command, signal === undefined ? {} : { abortSignal: signal })
  }

  async #get(name: string, range?: ByteRange): Promise<Readable> {
    const object = { Bucket: this.#bucket, Key: this.#prefix + name }
    const command = new GetObjectCommand(
      range === undefined ? object : { ...object, Range: `bytes=${range.start}-${range.end - 1}` },
    )
    const answer = await this.#client.send(command).catch((error: { name?: string }) => {
      throw error.name === 'NoSuchKey' ? new MissingBytesError() : error
    })
    if (!(answer.Body instanceof Readable)) throw new Error('the storage sent no body')
    return answer.Body
  }
}

class BadDigest extends Error {}
class ClientGone extends Error {}

/** Forwards the last chunk of a body only if the SHA-256 is right, so the storage never gets all of a wrong body. */
class VerifiedBody extends Transform {
  readonly #expected: Buffer
  readonly #sha256 = createHash('sha256')
  readonly #md5: Hash | null
  #heldChunk: Buffer | null = null

  constructor(expected: Buffer, md5: Hash | null) {
    super({ highWaterMark: 1 << 20 })
    this.#expected = expected
    this.#md5 = md5
  }

  override _transform(chunk: Buffer, _: BufferEncoding, done: (error: null, data?: Buffer) => void): void {
    this.#sha256.update(chunk)
    this.#md5?.update(chunk)
    const previousChunk = this.#heldChunk
    this.#heldChunk = chunk
    if (previousChunk === null) done(null)
    else done(null, previousChunk)
  }

  override _flush(done: (error: Error | null, data?: Buffer) => void): void {
    if (!this.#sha256.digest().equals(this.#expected)) done(new BadDigest())
    else if (this.#heldChunk === null) done(null)
    else done(null, this.#heldChunk)
  }
}

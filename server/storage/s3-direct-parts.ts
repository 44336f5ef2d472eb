import { createHash } from 'node:crypto'
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  ListObjectsV2Command,
  type S3Client,
} from '@aws-sdk/client-s3'
import type { DirectParts, DirectUpload } from './direct-parts.ts'
import { encodePath, presignS3, type S3Credentials } from './presign-s3.ts'
import type { PartAddress, SigningTerms } from './signing-terms.ts'

export type DirectTarget = {
  readonly client: S3Client
  readonly bucket: string
  readonly prefix: string
  readonly region: string
  readonly endpoint: string
  readonly credentials: S3Credentials
}

/** Stations write only here, so a signed URL cannot change an object that the server stored. */
const folder = 'direct/'

/** The session and the part in the name of a station's upload. Null for any other name. */
export function parseDirectName(name: string): PartAddress | null {
  const [, sessionId, number] = /^direct\/(ses_[0-9a-z]+)\/(\d{1,5})$/.exec(name) ?? []
  return sessionId === undefined ? null : { sessionId, number: Number(number) }
}

export class S3DirectParts implements DirectParts {
  readonly #target: DirectTarget

  constructor(target: DirectTarget) {
    this.#target = target
  }

  signUrl(part: PartAddress, bytes: number, terms: SigningTerms): string {
    return this.#sign(this.#key(part.sessionId, part.number), bytes, terms)
  }

  async *uploads(sessionId: string): AsyncGenerator<DirectUpload> {
    const { client, bucket } = this.#target
    const prefix = this.#key(sessionId, '')
    let token: string | undefined
    do {
      const page = await client.send(
        new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, ContinuationToken: token }),
      )
      for (const { Key = '', Size = -1, ETag = '' } of page.Contents ?? []) {
        const number = Number(Key.slice(prefix.length))
        if (Number.isInteger(number) && number > 0) yield { number, bytes: Size, etag: ETag }
      }
      token = page.NextContinuationToken
    } while (token !== undefined)
  }

  async copy(sessionId: string, { number, etag }: DirectUpload, name: string): Promise<boolean> {
    const { client, bucket, prefix } = this.#target
    try {
      await client.send(
        new CopyObjectCommand({
          Bucket: bucket,
          Key: prefix + name,
          // The storage expects an encoded header, but the SDK does not encode it.
          CopySource: encodePath(`${bucket}/${this.#key(sessionId, number)}`),
          CopySourceIfMatch: etag,
        }),
      )
      return true
    } catch (error) {
      const status = (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode
      if (status === 404 || status === 412) return false
      throw error
    }
  }

  async remove(sessionId: string, number: number): Promise<void> {
    const { client, bucket } = this.#target
    await client.send(new DeleteObjectCommand({ Bucket: bucket, Key: this.#key(sessionId, number) }))
  }

  async verify(): Promise<void> {
    const { client, bucket, prefix } = this.#target
    const body = Buffer.from('sluice')
    const key = `${prefix}${folder}check`
    const url = this.#sign(key, body.length, { nowMs: Date.now(), lifetimeS: 60, epoch: 0 })
    const put = async (checksum: string) => {
      const headers = { 'x-amz-checksum-sha256': checksum, 'content-type': 'application/octet-stream' }
      return (await fetch(url, { method: 'PUT', headers, body })).status
    }
    try {
      const rightStatus = await put(createHash('sha256').update(body).digest('base64'))
      if (rightStatus !== 200) throw new Error(`the storage answered a signed part with ${rightStatus}`)
      const wrongStatus = await put(createHash('sha256').update('other').digest('base64'))
      if (wrongStatus < 400) throw new Error('the storage accepts a part with a wrong SHA-256')
    } finally {
      await client.send(new DeleteObjectCommand({ Bucket: bucket, Key: key }))
    }
  }

  #key(sessionId: string, number: number | ''): string {
    return `${this.#target.prefix}${folder}${sessionId}/${number}`
  }

  #sign(key: string, bytes: number, terms: SigningTerms): string {
    const { bucket, endpoint, region, credentials } = this.#target
    const headers = { 'content-length': String(bytes) }
    const url = new URL(`${endpoint.replace(/\/$/, '')}/${encodePath(`${bucket}/${key}`)}`)
    const { nowMs: signedAtMs, lifetimeS } = terms
    return presignS3({ method: 'PUT', url, region, credentials, headers, signedAtMs, lifetimeS })
  }
}

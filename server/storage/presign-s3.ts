import { createHash, createHmac } from 'node:crypto'

export type S3Credentials = { readonly accessKeyId: string; readonly secretAccessKey: string }

export type PresignInput = {
  readonly method: 'GET' | 'PUT'
  /** The address of the object, with host and port as the client sends them. */
  readonly url: URL
  readonly region: string
  readonly credentials: S3Credentials
  /** The client must send these headers with exactly these values. Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly signedAtMs: number
  readonly lifetimeS: number
}

/**
 * Makes a presigned URL of S3 (AWS Signature Version 4). The same input gives the same URL, because a repeated answer
 * must equal the first one (§8). For a session with 10,000 URLs, the presigner of the SDK is too slow.
 */
export function presignS3(input: PresignInput): string {
  const { method, url, region, credentials, lifetimeS } = input
  const time = `${new Date(input.signedAtMs).toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`
  const date = time.slice(0, 8)
  const scope = `${date}/${region}/s3/aws4_request`
  const headers = Object.entries({ ...input.headers, host: url.host }).sort(([a], [b]) => (a < b ? -1 : 1))
  const headerNames = headers.map(([name]) => name).join(';')
  const query = [
    ['X-Amz-Algorithm', 'AWS4-HMAC-SHA256'],
    ['X-Amz-Credential', `${credentials.accessKeyId}/${scope}`],
    ['X-Amz-Date', time],
    ['X-Amz-Expires', String(lifetimeS)],
    ['X-Amz-SignedHeaders', headerNames],
  ]
    .map(([name, text]) => `${name}=${encode(text!)}`)
    .join('&')
  const path = encodePath(decodeURIComponent(url.pathname))
  const headerLines = headers.map(([name, text]) => `${name}:${text}\n`).join('')
  const request = [method, path, query, headerLines, headerNames, 'UNSIGNED-PAYLOAD'].join('\n')
  const digest = createHash('sha256').update(request).digest('hex')
  const key = [date, region, 's3', 'aws4_request'].reduce<Buffer | string>(
    (previous, text) => createHmac('sha256', previous).update(text).digest(),
    `AWS4${credentials.secretAccessKey}`,
  )
  const text = ['AWS4-HMAC-SHA256', time, scope, digest].join('\n')
  const signature = createHmac('sha256', key).update(text).digest('hex')
  return `${url.origin}${path}?${query}&X-Amz-Signature=${signature}`
}

/** Encodes the name of an object for an address or a header. Slashes stay. */
export function encodePath(path: string): string {
  return path.split('/').map(encode).join('/')
}

/** S3 escapes more characters than `encodeURIComponent`. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

import { createHmac } from 'node:crypto'
import { request } from 'node:http'

/** Sends deliveries as the service does (§6.2, §6.3). This code was written from the text of the contract alone. */

export const signatureOf = (secret: string, body: Uint8Array | string, unixSeconds: number): string => {
  const message = Buffer.concat([Buffer.from(`${unixSeconds}.`), Buffer.from(body)])
  return `t=${unixSeconds},v1=${createHmac('sha256', secret).update(message).digest('hex')}`
}

export const eventBody = (
  id: string,
  sessionId: string,
  options: { readonly type?: string; readonly status?: string; readonly padding?: string } = {},
): string =>
  JSON.stringify({
    id,
    type: options.type ?? 'session.processed',
    created_at: new Date().toISOString(),
    data: {
      object: { id: sessionId, object: 'session', status: options.status ?? 'processed', segment_count: 1 },
    },
    ...(options.padding === undefined ? {} : { padding: options.padding }),
  })

export type Post = {
  readonly method?: string
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array | string
}

export type DeliveryResult = { readonly status: number; readonly body: string } | 'cut off'

/** Sends one request and returns its result, even if it fails. */
export const post = (port: number, { method = 'POST', path = '/webhooks', headers, body = '' }: Post) =>
  new Promise<DeliveryResult>((resolve) => {
    const outgoing = request({ host: '127.0.0.1', port, method, path, headers, agent: false }, (response) => {
      let text = ''
      response.on('data', (chunk: Buffer) => {
        text += chunk.toString()
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: text }))
      response.on('error', () => resolve('cut off'))
    })
    outgoing.on('error', () => resolve('cut off'))
    outgoing.end(body)
  })

/** Sends a delivery as the service sends it at `nowMs`. */
export const deliver = (
  port: number,
  secret: string,
  body: Uint8Array | string,
  nowMs: number = Date.now(),
): Promise<DeliveryResult> =>
  post(port, {
    headers: {
      'content-type': 'application/json',
      'service-signature': signatureOf(secret, body, Math.floor(nowMs / 1000)),
    },
    body,
  })

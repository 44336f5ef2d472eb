import type { IncomingMessage } from 'node:http'
import { type Checked, invalid, value } from '../answer.ts'

export type JsonBody = { readonly raw: Buffer; readonly json: unknown }

/** §2.1.4. Returns null if the client disconnected. Stops reading at the limit, to save memory. */
export async function readJsonBody(
  request: IncomingMessage,
  maxBytes: number,
): Promise<Checked<JsonBody> | null> {
  const type = request.headers['content-type'] ?? ''
  if (!/^application\/json *(?:; *charset="?utf-8"? *)?$/i.test(type)) {
    return invalid('Content-Type', 'Send the body as application/json.', 'content_type_invalid')
  }
  const tooLarge = invalid('', `The body is larger than ${maxBytes} bytes.`, 'body_too_large')
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return tooLarge
  const raw = await readAtMost(request, maxBytes)
  if (raw === 'aborted') return null
  if (raw === 'too-large') return tooLarge
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(raw)
    return value({ raw, json: JSON.parse(text) as unknown })
  } catch {
    return invalid('', 'The body is not valid JSON.', 'body_invalid')
  }
}

async function readAtMost(
  request: IncomingMessage,
  maxBytes: number,
): Promise<Buffer | 'too-large' | 'aborted'> {
  const chunks: Buffer[] = []
  let bytes = 0
  return new Promise((resolve) => {
    // The events below do not fire again for a client that has already disconnected.
    if (request.destroyed) return resolve('aborted')
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > maxBytes) {
        request.pause()
        resolve('too-large')
      } else chunks.push(chunk)
    })
    request.on('end', () => resolve(Buffer.concat(chunks)))
    request.on('close', () => resolve('aborted'))
    request.on('error', () => resolve('aborted'))
  })
}

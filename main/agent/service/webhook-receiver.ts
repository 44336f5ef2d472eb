import type { IncomingMessage, ServerResponse } from 'node:http'
import { WEBHOOK_PATH } from '../../../shared/contract/webhooks.ts'
import { type DeliveredEvent, verifyWebhook } from '../../../shared/webhook-verifier/verify-webhook.ts'
import type { OpenWebhookDoor, WebhookDoorOptions } from '../ports/webhooks.ts'
import { answerStatus, openDoor } from './http-listener.ts'

/** An event with a thousand issues fits; with all connections at once it is 16 MiB. */
const MAX_BODY_BYTES = 512 * 1024
const LONGEST_ID = 255

/** Null where there is more of it than an event can be. */
const readBody = (request: IncomingMessage): Promise<Buffer | null> => {
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) return Promise.resolve(null)
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > MAX_BODY_BYTES) {
        chunks.length = 0
        resolve(null)
      } else chunks.push(chunk)
    })
    request.on('end', () => resolve(Buffer.concat(chunks)))
    request.on('error', reject)
    // The sender left half-way.
    request.on('close', () => reject(new Error('cut off')))
  })
}

const sessionOf = ({ type, object }: DeliveredEvent): string | null => {
  const isSession = type.startsWith('session.') || object.object === 'session'
  const { id } = object
  return isSession && typeof id === 'string' && id !== '' && id.length <= LONGEST_ID ? id : null
}

const take = async (
  request: IncomingMessage,
  response: ServerResponse,
  options: WebhookDoorOptions,
): Promise<void> => {
  if (request.url?.split('?')[0] !== WEBHOOK_PATH) return answerStatus(response, 404)
  if (request.method !== 'POST') return answerStatus(response, 405)
  const header = request.headers['service-signature']
  const rawBody = await readBody(request)
  if (rawBody === null) {
    options.refused('too-large')
    return answerStatus(response, 413)
  }
  const verified = verifyWebhook({
    rawBody,
    header: typeof header === 'string' ? header : null,
    secret: options.secrets(),
    nowMs: options.nowMs(),
  })
  if (!verified.ok) {
    options.refused(verified.reason)
    return answerStatus(response, verified.reason === 'body-unreadable' ? 400 : 401)
  }
  const { event } = verified
  // In the journal before the answer: what is answered is never sent again. Not noted, it is (§6.2).
  const noted = options.note({ id: event.id, type: event.type, sessionId: sessionOf(event) })
  answerStatus(response, noted ? 200 : 503)
}

/** Where events of the service come in: one path, small bodies, and no words. */
export const openWebhookDoor: OpenWebhookDoor = (options) =>
  // Only a sender that leaves half-way makes it fail, and nobody is left to answer.
  openDoor(
    options,
    (request, response) => void take(request, response, options).catch(() => response.destroy()),
  )

import type { IncomingMessage, ServerResponse } from 'node:http'
import { WEBHOOK_PATH } from '../../../shared/contract/webhooks.ts'
import { type DeliveredEvent, verifyWebhook } from '../../../shared/webhook-verifier/verify-webhook.ts'
import type { ListenForWebhooks, WebhookListenerOptions } from '../ports/webhooks.ts'
import { answerStatus, type ListenerTimeouts, openHttpListener } from './http-listener.ts'

/** Enough for an event with a thousand issues. With 32 connections, all bodies use at most 16 MiB. */
const MAX_BODY_BYTES = 512 * 1024
const MAX_ID_CHARS = 255

/** Reads the body. Null if it is too large for an event. */
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
    // Has an effect only if the connection closes before `end`.
    request.on('close', () => reject(new Error('cut off')))
  })
}

const sessionOf = ({ type, object }: DeliveredEvent): string | null => {
  const isSession = type.startsWith('session.') || object.object === 'session'
  const { id } = object
  return isSession && typeof id === 'string' && id !== '' && id.length <= MAX_ID_CHARS ? id : null
}

const onRequest = async (
  request: IncomingMessage,
  response: ServerResponse,
  options: WebhookListenerOptions,
): Promise<void> => {
  if (request.url?.split('?')[0] !== WEBHOOK_PATH) return answerStatus(response, 404)
  if (request.method !== 'POST') return answerStatus(response, 405)
  const header = request.headers['service-signature']
  const rawBody = await readBody(request)
  if (rawBody === null) {
    options.onRefused('too-large')
    return answerStatus(response, 413)
  }
  const verified = verifyWebhook({
    rawBody,
    header: typeof header === 'string' ? header : null,
    secret: options.secrets(),
    nowMs: options.nowMs(),
  })
  if (!verified.ok) {
    options.onRefused(verified.reason)
    return answerStatus(response, verified.reason === 'body-unreadable' ? 400 : 401)
  }
  const { event } = verified
  // Write the event to the journal before the answer: after a 200, the service does not resend the event (§6.2).
  const isStored = options.storeEvent({ id: event.id, type: event.type, sessionId: sessionOf(event) })
  answerStatus(response, isStored ? 200 : 503)
}

/** The endpoint for webhook events: one path, small bodies, and answers without text. */
export const listenForWebhooks = (
  options: WebhookListenerOptions,
  timeouts?: ListenerTimeouts,
): ReturnType<ListenForWebhooks> =>
  // `onRequest` fails only if the sender disconnects. Then no answer is possible.
  openHttpListener(
    options,
    (request, response) => void onRequest(request, response, options).catch(() => response.destroy()),
    timeouts,
  )

import { ok } from '../answer.ts'
import { isoTime } from '../clock.ts'
import type { Handler } from './call.ts'
import { checkWebhookEndpoint } from './request-schemas.ts'

/** §4.7. The secret is in this answer and in no other. */
export const createWebhookEndpoint: Handler = (call) => {
  const checked = checkWebhookEndpoint(call.body)
  if (checked.kind === 'refusal') return checked
  const { context, key } = call
  const { url, events } = checked.value
  const id = context.makeId('whe')
  const secret = `whsec_${context.random(24).toString('hex')}`
  const createdAt = context.clock.now()
  return call.commit(() => {
    context.store.webhooks.addEndpoint({
      id,
      org_id: key.org_id,
      url,
      events: JSON.stringify(events),
      secret,
      created_at: createdAt,
    })
    return ok({ id, object: 'webhook_endpoint', url, events, created_at: isoTime(createdAt), secret })
  })
}

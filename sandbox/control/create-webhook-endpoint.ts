import { invalid, ok } from '../answer.ts'
import { isoTime } from '../clock.ts'
import { literalAddress, mayReach, type Reach } from '../events/reach.ts'
import type { Handler } from './call.ts'
import { checkWebhookEndpoint } from './request-schemas.ts'

/** §4.7. The secret is in this answer and in no other. */
export const createWebhookEndpoint: Handler = (call) => {
  const checked = checkWebhookEndpoint(call.body)
  if (checked.kind === 'refusal') return checked
  const { context, key } = call
  const { url, events } = checked.value
  const unreachable = unreachableBecause(context.webhookTargets, new URL(url))
  if (unreachable !== null) return invalid('url', `url: ${unreachable}.`)
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

/** A name is looked up for each delivery, since what it stands for may change; an address can be told now. */
function unreachableBecause(targets: Reach, url: URL): string | null {
  if (targets === 'nowhere') return 'this sandbox sends no webhooks'
  const address = literalAddress(url)
  return address === null || mayReach(targets, url.protocol, address)
    ? null
    : 'must not be in a private network (--private-webhooks allows it)'
}

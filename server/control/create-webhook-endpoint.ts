import { invalid, ok, unprocessable } from '../answer.ts'
import { isoTime } from '../clock.ts'
import { literalAddress, mayReach, type Reach } from '../events/reach.ts'
import { orgs } from '../store/orgs.ts'
import { webhooks } from '../store/webhooks.ts'
import type { Handler } from './call.ts'
import { recordChange } from './record-change.ts'
import { checkWebhookEndpoint } from './request-schemas.ts'

/**
 * The limit protects the sender, which all organisations share: one event may go to every endpoint.
 */
const MAX_ENDPOINTS = 100

/** §4.7. Only this answer contains the secret. */
export const createWebhookEndpoint: Handler = (call) => {
  const request = checkWebhookEndpoint(call.body)
  if (request.kind === 'refusal') return request
  const { context, key } = call
  const { url, events } = request.value
  const problem = findTargetProblem(context.webhookTargets, new URL(url))
  if (problem !== null) return invalid('url', `url: ${problem}.`)
  const id = context.makeId('whe')
  const secret = `whsec_${context.random(24).toString('hex')}`
  const createdAt = context.clock.now()
  return call.commit(function* () {
    // The lock prevents two requests from using the same free place.
    yield* orgs.lock(key.org_id)
    if ((yield* webhooks.countEndpoints(key.org_id)) >= MAX_ENDPOINTS)
      return unprocessable(
        'quota_exceeded',
        `An organisation has at most ${MAX_ENDPOINTS} webhook endpoints.`,
      )
    yield* webhooks.addEndpoint({
      id,
      org_id: key.org_id,
      url,
      events: JSON.stringify(events),
      secret,
      created_at: createdAt,
    })
    yield* recordChange(call, 'webhook_endpoint.create', id)
    return ok({ id, object: 'webhook_endpoint', url, events, created_at: isoTime(createdAt), secret })
  })
}

/** Checks only an IP address. The sender checks a host name at each delivery, because its address may change. */
function findTargetProblem(targets: Reach, url: URL): string | null {
  if (targets === 'nowhere') return 'this service sends no webhooks'
  const address = literalAddress(url)
  return address === null || mayReach(targets, url.protocol, address)
    ? null
    : 'must not be in a private network or on this computer (--private-webhooks allows it)'
}

import type { Rule } from '../rule.ts'
import { authenticationRules } from './authentication.ts'
import { badInputRules } from './bad-input.ts'
import { completionRules } from './completion.ts'
import { conventionRules } from './conventions.ts'
import { creationRules } from './creation.ts'
import { deletionRules } from './deletion.ts'
import { eventReceiverRules } from './event-receivers.ts'
import { eventRules } from './events.ts'
import { idempotencyRules } from './idempotency.ts'
import { listRules } from './listing.ts'
import { partUploadRules } from './part-upload.ts'
import { processingRules } from './processing.ts'
import { rateLimitRules } from './rate-limits.ts'
import { retrievalRules } from './retrieval.ts'
import { unspecifiedRouteRules } from './unspecified-routes.ts'
import { webhookEndpointRules } from './webhook-endpoints.ts'

/** All rules, in the order of the contract. */
export const rules: readonly Rule[] = [
  ...conventionRules,
  ...creationRules,
  ...partUploadRules,
  ...completionRules,
  ...retrievalRules,
  ...listRules,
  ...deletionRules,
  ...webhookEndpointRules,
  ...unspecifiedRouteRules,
  ...authenticationRules,
  ...processingRules,
  ...eventRules,
  ...eventReceiverRules,
  ...idempotencyRules,
  ...rateLimitRules,
  ...badInputRules,
]

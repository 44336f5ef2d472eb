import type { EventType, SessionIssue, WebhookEvent } from '../../shared/contract/control-api.ts'
import { isoTime } from '../clock.ts'
import type { SessionRow } from '../store/sessions.ts'
import type { Steps } from '../store/steps.ts'
import { webhooks } from '../store/webhooks.ts'

function eventTypeOf(session: SessionRow): EventType | null {
  switch (session.status) {
    case 'processed':
      return 'session.processed'
    case 'failed':
      return 'session.failed'
    case 'uploading':
    case 'uploaded':
    case 'processing':
      return null
    default:
      return session.status satisfies never
  }
}

/** §6.2: `issues` only in `session.failed`. */
function sessionEvent(id: string, type: EventType, session: SessionRow, nowMs: number): WebhookEvent {
  return {
    id,
    type,
    created_at: isoTime(nowMs),
    data: {
      object: {
        id: session.id,
        object: 'session',
        status: session.status,
        segment_count: session.segment_count,
        ...(type === 'session.failed' ? { issues: JSON.parse(session.issues) as SessionIssue[] } : {}),
      },
    },
  }
}

/**
 * Queues the event of a session's new status for every endpoint that subscribed to it. Call this function inside the
 * transaction that changes the status. Returns false if the status has no event or no endpoint subscribed to it.
 */
export function* queueSessionEvent(eventId: string, session: SessionRow, now: number): Steps<boolean> {
  const type = eventTypeOf(session)
  if (type === null) return false
  const body = JSON.stringify(sessionEvent(eventId, type, session, now))
  const endpoints = yield* webhooks.endpointsFor(session.org_id, type)
  for (const endpoint of endpoints) {
    yield* webhooks.addDelivery({ endpointId: endpoint.id, sessionId: session.id, eventId, body, now })
  }
  return endpoints.length > 0
}

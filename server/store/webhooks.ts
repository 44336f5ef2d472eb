import type { EventType } from '../../shared/contract/control-api.ts'
import type { Db } from './open.ts'

export type EndpointRow = {
  readonly id: string
  readonly org_id: string
  readonly url: string
  /** JSON array of event names */
  readonly events: string
  readonly secret: string
  readonly created_at: number
}

export type DeliveryRow = {
  readonly id: number
  readonly event_id: string
  readonly body: string
  readonly created_at: number
  readonly next_attempt_at: number
  readonly attempts: number
  readonly url: string
  readonly secret: string
}

export type WebhookStore = ReturnType<typeof webhookStore>

export function webhookStore(db: Db) {
  const addEndpoint = db.prepare(
    `INSERT INTO webhook_endpoints (id, org_id, url, events, secret, created_at)
     VALUES (@id, @org_id, @url, @events, @secret, @created_at)`,
  )
  const endpoints = db.prepare<[string, string], EndpointRow>(
    `SELECT * FROM webhook_endpoints
     WHERE org_id = ? AND EXISTS (SELECT 1 FROM json_each(events) WHERE value = ?)`,
  )
  const addDelivery = db.prepare(
    `INSERT INTO deliveries (endpoint_id, session_id, event_id, body, created_at, next_attempt_at)
     VALUES (@endpointId, @sessionId, @eventId, @body, @now, @now)`,
  )
  const due = db.prepare<[number, number], DeliveryRow>(
    `SELECT d.id, d.event_id, d.body, d.created_at, d.next_attempt_at, d.attempts, e.url, e.secret
     FROM deliveries d JOIN webhook_endpoints e ON e.id = d.endpoint_id
     WHERE d.next_attempt_at <= ? ORDER BY d.next_attempt_at, d.id LIMIT ?`,
  )
  const nextDue = db
    .prepare<[number], number | null>('SELECT min(next_attempt_at) FROM deliveries WHERE next_attempt_at > ?')
    .pluck()
  const queue = db.prepare<[], { pending: number; nextAt: number | null }>(
    'SELECT count(*) AS pending, min(next_attempt_at) AS nextAt FROM deliveries',
  )
  const postpone = db.prepare(
    'UPDATE deliveries SET attempts = attempts + 1, next_attempt_at = ? WHERE id = ?',
  )
  const hold = db.prepare('UPDATE deliveries SET next_attempt_at = ? WHERE id = ?')
  const drop = db.prepare('DELETE FROM deliveries WHERE id = ?')

  return {
    addEndpoint: (row: EndpointRow): void => void addEndpoint.run(row),
    /** §6.1: only endpoints that chose this event. */
    endpointsFor: (orgId: string, event: EventType): EndpointRow[] => endpoints.all(orgId, event),
    addDelivery: (entry: {
      endpointId: string
      sessionId: string
      eventId: string
      body: string
      now: number
    }): void => void addDelivery.run(entry),
    due: (now: number, limit: number): DeliveryRow[] => due.all(now, limit),
    nextDueAfter: (now: number): number | null => (nextDue.get(now) as number | null | undefined) ?? null,
    /** Pending deliveries, for the control endpoint. */
    queue: (): { pending: number; nextAt: number | null } => queue.get()!,
    postpone: (id: number, nextAttemptAt: number): void => void postpone.run(nextAttemptAt, id),
    /** Delays without counting an attempt. */
    hold: (id: number, until: number): void => void hold.run(until, id),
    drop: (id: number): void => void drop.run(id),
  }
}
